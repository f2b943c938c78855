import type { CallOptions } from '#accounts';
import { type Content, type Effect, Fault, type Upstream, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { toUpstream } from '#upstream';
import type { Clearance, Ready } from './approvals/clearance.ts';
import { type CallingMeans, callingFor } from './calling.ts';
import { earlierFor } from './earlier.ts';
import { type EffectNow, effectNow } from './effect-now.ts';
import type { CallRecord, Guarded } from './guarded.ts';
import { staysOpen, Uncertain, unconfirmed } from './outcome.ts';
import type { Intent } from './record.ts';
import { type Carry, sendOnceFor } from './send-once.ts';
import { undisturbedFor } from './undisturbed.ts';
import { uploadInParts } from './upload.ts';

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
};

// Large content takes longer than an answer that is read at once.
const downloadDeadlineMs = 120_000;

export const createGuard = (means: CallingMeans & { clearance: Clearance }): Guard => {
  const { records, clock } = means;

  const upstreamFor: Guard['upstreamFor'] = (work, onCall, signal) => {
    const { step } = work;
    const { effectOf, readFault, uploads } = step.integration.upstream;
    const cleared = means.clearance.writes(work, signal);
    const calling = callingFor(means, work, onCall, signal);
    const { call, read } = calling;
    const send = sendOnceFor(calling);
    const undisturbed = undisturbedFor(calling);
    const earlierOnes = earlierFor(calling, send);
    const made: unknown[] = [];
    let ordinals = work.ordinalsFrom;

    const callOnce: Carry = (request, { intended, left }) => call(request, { deadlineMs: left(), after: intended });

    const write = async (
      request: UpstreamRequest,
      effect: Exclude<Effect, 'read'>,
      carry: Carry,
    ): Promise<UpstreamAnswer> => {
      ordinals += 1;
      const ordinal = ordinals;
      const { ready, kept, mayAsk, held } = cleared(request, effect, ordinal, made);
      const record: CallRecord = { method: request.method, path: request.path, effect };
      const look = async (): Promise<Ready> => {
        const since = performance.now();
        await ready();
        return () => undisturbed.check(request, held, since, ready);
      };
      // What may still be asked about is looked at first, which needs the places at the service that others would hold.
      const early = effect === 'write' || (work.excess === undefined && !undisturbed.isHeld(request, held));
      const earlier = work.resumed ? await records.find(work, ordinal) : undefined;
      if (earlier !== undefined) {
        await work.begin();
        const how = { carry, look, early, anew: () => write(request, effect, carry) };
        const met = await earlierOnes.meet(request, earlier, { ...record, effectId: earlier.id }, how);
        made.push(met.body);
        return met;
      }
      if (mayAsk) await work.stored?.();
      const holds = await look();
      const planned = records.plan(work, ordinal, effect, request);
      // An attempt's time begins before it is intended.
      const since = performance.now();
      const intend = async (): Promise<Intent> => {
        const first = await work.begin(planned);
        const intended: Intent =
          first === undefined
            ? await records.intend(work, planned)
            : { id: planned.id, intendedAt: first.intended_at, attempt: first.attempts };
        const settled = async () => {
          await kept(planned.id);
          await holds();
        };
        await settled().catch(async (error: unknown) => {
          const reason = error instanceof Fault ? error.message : 'it waits for a person';
          await records.settle(work, planned.id, { state: 'not_sent', reason });
          throw error;
        });
        return intended;
      };
      const answer = await send(request, record, intend, carry, { since, early });
      made.push(answer.body);
      return answer;
    };

    const perform = (request: UpstreamRequest, carry = callOnce): Promise<UpstreamAnswer> => {
      const as = ({ effect, held }: EffectNow) => {
        if (effect === 'read') return read(request);
        const holding: Carry = (each, term) => carry({ ...each, headers: { ...each.headers, ...held } }, term);
        return write(request, effect, held === undefined ? carry : holding);
      };
      // What a person was asked about stays what it was then.
      if (work.decided.size > 0) return as({ effect: effectOf(request) });
      const found = effectNow(step, request, toUpstream(read, readFault));
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
        if (!work.resumed || (failure !== undefined && staysOpen(failure, work))) return;
        for (const each of await records.open(work, work.ordinalsFrom, work.ordinalsTo)) await earlierOnes.close(each);
      },
    };
  };

  return { upstreamFor };
};
