import type { CallOptions } from '#accounts';
import {
  type Begun,
  type Content,
  type Effect,
  Fault,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '#kit';
import { toUpstream } from '#upstream';
import type { Clearance } from './approvals/clearance.ts';
import { RefusedLook } from './approvals/plan.ts';
import { type CallingMeans, callingFor } from './calling.ts';
import { type EffectNow, effectNow } from './effect-now.ts';
import type { CallRecord, Guarded } from './guarded.ts';
import { isHarmless } from './met-by.ts';
import { staysOpen, Uncertain, unconfirmed } from './outcome.ts';
import type { Owner } from './record.ts';
import type { Carry } from './send-once.ts';
import { uploadInParts } from './upload.ts';
import { type Writer, writerFor } from './writer.ts';

/** A write that was done; `id` is that of what it made. */
export type DoneWrite = { effect: Effect; method: string; path: string; id?: string };

/** What a step has done: what would be done twice if all of it were asked for once more, and what would only be so again. */
export type Done = Record<'twice' | 'harmless', DoneWrite[]>;

export type Guard = {
  /**
   * The upstream for one execution of a run's step. Every write passes its record; reads go straight through. `settle` is
   * called when the step has ended: what an earlier execution began and this one did not come to is looked for.
   */
  upstreamFor(
    work: Guarded,
    onCall: (call: CallRecord) => void,
    signal?: AbortSignal,
  ): { upstream: Upstream; settle(failure?: unknown): Promise<void> };
  /** What an interrupted execution of a run's step has written or may have, in that order, and found before it. */
  begun(
    owner: Pick<Owner, 'workspaceId' | 'runId'>,
    ordinals: Pick<Guarded, 'ordinalsFrom' | 'ordinalsTo'>,
  ): Promise<{ writes: Begun[]; before: unknown }>;
  /** What a run's step has done, in that order. */
  done(
    owner: Pick<Owner, 'workspaceId' | 'runId'>,
    ordinals: Pick<Guarded, 'ordinalsFrom' | 'ordinalsTo'>,
  ): Promise<Done>;
  /** Ends as unknown what an earlier execution began and nobody can come to any more; answers whether there was any. */
  giveUp(owner: Omit<Owner, 'accountId'>, ordinals: Pick<Guarded, 'ordinalsFrom' | 'ordinalsTo'>): Promise<boolean>;
};

// Large content takes longer than an answer that is read at once.
const downloadDeadlineMs = 120_000;

export const createGuard = (means: CallingMeans & { clearance: Clearance }): Guard => {
  const { records, clock } = means;

  const upstreamFor: Guard['upstreamFor'] = (work, onCall, signal) => {
    const { step } = work;
    const { effectOf, heldTo, readFault, uploads } = step.integration.upstream;
    const calling = callingFor(means, work, onCall, signal);
    const { call, read } = calling;

    const callOnce: Carry = (request, { intended, left }) => call(request, { deadlineMs: left(), after: intended });

    // Most executions only read.
    let begun: Writer | undefined;
    const writer = (): Writer => {
      begun ??= writerFor(calling, means.clearance);
      return begun;
    };

    const perform = (request: UpstreamRequest, carry = callOnce): Promise<UpstreamAnswer> => {
      const as = ({ effect, held }: EffectNow) => {
        if (effect === 'read') return read(request);
        const holding: Carry = (each, term) => carry({ ...each, headers: { ...each.headers, ...held } }, term);
        return writer().write(request, effect, held === undefined ? carry : holding);
      };
      // What a person was asked about stays what it was then.
      const reading = toUpstream(read, readFault);
      if (work.decided.size > 0) {
        const effect = effectOf(request);
        const holding = effect === 'send' ? heldTo?.(request, reading) : undefined;
        return holding === undefined ? as({ effect }) : holding.then((held) => as({ effect, held }));
      }
      const found = effectNow(step, request, reading);
      return found instanceof Promise ? found.then(as) : as(found);
    };
    const strictly = (request: UpstreamRequest, carry?: Carry) =>
      perform(request, carry).catch((error: unknown) => {
        if (error instanceof Uncertain) throw unconfirmed();
        throw error;
      });
    const asItCame = (request: UpstreamRequest) =>
      perform(request).catch((error: unknown) => {
        if (error instanceof Uncertain) return error.answer;
        // Nobody is asked about what the service does not have: whoever called it so gets its answer, as of any other call.
        if (error instanceof RefusedLook && work.decided.size === 0) return error.answer;
        throw error;
      });
    /** The address comes from the answer to our own request and is told to nobody. */
    const inParts =
      (content: Content): Carry =>
      async (request, term) => {
        if (uploads === undefined) throw new Fault('internal', 'This service takes no uploads.');
        await term.intended;
        const begun = performance.now();
        const answer = await uploadInParts({
          way: uploads,
          content,
          clock,
          signal,
          open: () => call(request),
          send: async (part, isLast) => {
            if (!isLast) return call(request, { part });
            await term.renew();
            return call(request, { part, deadlineMs: term.left() });
          },
        });
        return { ...answer, ms: Math.round(performance.now() - begun), bytes: 0 };
      };
    const transfers = {
      download: (request: UpstreamRequest, how: CallOptions) =>
        read(request, { ...how, deadlineMs: downloadDeadlineMs }),
      upload: (request: UpstreamRequest, content: Content) => strictly(request, inParts(content)),
    };
    return {
      upstream: { ...toUpstream((request) => strictly(request), readFault, transfers), request: asItCame },
      settle: async (failure) => {
        if (!work.resumed || (failure !== undefined && staysOpen(failure, work, Number.POSITIVE_INFINITY))) return;
        for (const each of await records.open(work, work.ordinalsFrom, work.ordinalsTo)) {
          if (failure === undefined || !staysOpen(failure, work, each.age_ms)) await writer().close(each);
        }
      },
    };
  };

  const giveUp: Guard['giveUp'] = async (owner, { ordinalsFrom, ordinalsTo }) => {
    const open = await records.open({ ...owner, accountId: '' }, ordinalsFrom, ordinalsTo);
    for (const { id, account_id: accountId } of open)
      await records.settle({ ...owner, accountId }, id, { state: 'unknown', reason: 'interrupted' });
    return open.length > 0;
  };

  const begun: Guard['begun'] = async (owner, { ordinalsFrom, ordinalsTo }) => {
    const left = await records.all(owner, ordinalsFrom, ordinalsTo);
    const writes = left
      .filter(({ state }) => state !== 'not_sent')
      .map(({ method, path, request, state, intended_at: since }) => {
        const { body } = request as Pick<UpstreamRequest, 'body'>;
        return { method, path, body, isDone: state === 'sent', since } as Begun;
      });
    // Where nothing has happened, what is there now counts.
    const found = writes.length === 0 ? [] : left.map(({ request }) => (request as { before?: unknown }).before);
    return { writes, before: found.findLast((before) => before !== undefined) };
  };

  const done: Guard['done'] = async (owner, { ordinalsFrom, ordinalsTo }) => {
    const all: Done = { twice: [], harmless: [] };
    for (const each of await records.all(owner, ordinalsFrom, ordinalsTo)) {
      const { effect, method, path, upstream_id: id } = each;
      const named = method === 'POST' && id !== null ? { id } : {};
      if (each.state === 'sent') all[isHarmless(each) ? 'harmless' : 'twice'].push({ effect, method, path, ...named });
    }
    return all;
  };

  return { upstreamFor, begun, done, giveUp };
};
