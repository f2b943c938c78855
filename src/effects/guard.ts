import { z } from 'zod';
import type { Caller, CallOptions } from '#accounts';
import type { Clock, Intervals } from '#clock';
import {
  type CatalogueStep,
  type Content,
  type Effect,
  Fault,
  type StepContext,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '#kit';
import { isAmbiguous, type TimedAnswer, toUpstream } from '#upstream';
import { digestOf, type EffectRecords, type EffectRow, type Intent, Overtaken, type Owner } from './record.ts';
import { uploadInParts } from './upload.ts';

/** One call as the journal keeps it. */
export type CallRecord = {
  method: string;
  path: string;
  effect: Effect;
  status?: number;
  ms?: number;
  effectId?: string;
  /** Answered from the effect's own record: nothing was called. */
  replayed?: boolean;
  /** Found outside after an uncertain end. */
  found?: boolean;
  fault?: string;
};

export type Guarded = Owner & {
  step: CatalogueStep;
  input: unknown;
  /** What the step is given besides the upstream. */
  context: Omit<StepContext, 'upstream'>;
  /** Writes are counted from here, so that each step of a run meets its own records again. */
  ordinalsFrom: number;
  /** Called before a write is recorded: the run itself must be stored by then. */
  begin(): Promise<void>;
  /** Whether what counts as a send may leave without a person's approval. */
  maySend: boolean;
  /** Whether an earlier execution of this run may have left records. */
  resumed: boolean;
  /** Whether the run ends now if the service cannot be asked. */
  lastTry: boolean;
  /** The look by which the account was chosen, for the first call. */
  seen?: CallOptions['seen'];
};

export type Guard = {
  /** The upstream for one execution of a run's step. Every write passes its record; reads go straight through. */
  upstreamFor(work: Guarded, onCall: (call: CallRecord) => void, signal?: AbortSignal): Upstream;
};

// The services' clocks and ours may differ; what a look finds from before is told apart by other effects' claims.
const clockSkewMs = 120_000;
// Large content takes longer than an answer that is read at once.
const downloadDeadlineMs = 120_000;
// A write that just ended uncertainly may still be under way at the service.
const looksAfterMs = [500, 2_000];

const happened = ({ status }: UpstreamAnswer): 'yes' | 'no' | 'perhaps' => {
  if (status >= 200 && status < 400) return 'yes';
  return status >= 500 ? 'perhaps' : 'no';
};

/** How long an attempt may still take, and how one that takes long says so before the moment that counts. */
type Term = { left(): number; renew(): Promise<void> };
type Carry = (request: UpstreamRequest, term: Term) => Promise<TimedAnswer>;

/** Whether a look that failed is made again: a run waits for storage and, while it has tries left, for the service. */
const staysOpen = (error: unknown, { lastTry }: Guarded): boolean => {
  if (error instanceof z.ZodError) return false;
  if (!(error instanceof Fault)) return true;
  return error.code === 'unavailable' || (error.code === 'upstream_unavailable' && !lastTry);
};

/** An answer that leaves open whether the write happened, such as a gateway's timeout. */
class Uncertain extends Error {
  readonly answer: UpstreamAnswer;

  constructor(answer: UpstreamAnswer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

const unconfirmed = () =>
  new Fault('outcome_unknown', 'The service did not confirm this. It may have happened: look before repeating.');

const approvalNeeded = ({ method, path }: UpstreamRequest) =>
  new Fault(
    'forbidden',
    `${method} ${path} makes data visible outside, so a person must allow it; it runs with permission "autopilot".`,
    { details: { effect: 'send' } },
  );

export const createGuard = (options: {
  records: EffectRecords;
  caller: Caller;
  clock: Clock;
  intervals: Pick<Intervals, 'writeDeadlineMs'>;
}): Guard => {
  const { records, caller, clock } = options;
  const { writeDeadlineMs } = options.intervals;

  const upstreamFor: Guard['upstreamFor'] = (work, onCall, signal) => {
    const { workspaceId, accountId, step, input } = work;
    const { effectOf, readFault, idOf, uploads } = step.integration.upstream;
    let ordinals = work.ordinalsFrom;

    let { seen } = work;
    const call = (request: UpstreamRequest, how: CallOptions = {}) => {
      const given = { ...how, signal, impatient: step.passThrough, seen };
      seen = undefined;
      return caller.asAccount(workspaceId, accountId, request, given);
    };
    const callOnce: Carry = (request, { left }) => call(request, { deadlineMs: left() });

    const read = async (request: UpstreamRequest, how?: CallOptions): Promise<UpstreamAnswer> => {
      const record: CallRecord = { method: request.method, path: request.path, effect: 'read' };
      try {
        const answer = await call(request, how);
        onCall({ ...record, status: answer.status, ms: answer.ms });
        return answer;
      } catch (error) {
        onCall({ ...record, fault: error instanceof Fault ? error.code : 'internal' });
        throw error;
      }
    };

    /** Looks for what an uncertain write made, and claims it. `undefined`: it is not there, or this step cannot look. */
    const look = async (
      request: UpstreamRequest,
      { id, intendedAt }: Pick<Intent, 'id' | 'intendedAt'>,
      record: CallRecord,
    ): Promise<UpstreamAnswer | undefined> => {
      if (step.find === undefined) return undefined;
      while (!signal?.aborted && (await records.hasTwin(work, id, writeDeadlineMs))) await clock.sleep(250, signal);
      const since = new Date(intendedAt.getTime() - clockSkewMs);
      const upstream = toUpstream(read, readFault);
      const verdict = await step.find(input, { ...work.context, upstream, since, request });
      if (verdict === 'unclear') throw new Fault('upstream_unavailable', 'The service cannot tell yet what happened.');
      const named = verdict.made.flatMap((body) => {
        const upstreamId = idOf(body);
        return upstreamId === undefined ? [] : [{ upstreamId, body }];
      });
      const taken = await records.taken(
        work,
        named.map(({ upstreamId }) => upstreamId),
      );
      for (const { upstreamId, body: brief } of named.filter((each) => !taken.has(each.upstreamId))) {
        const body = verdict.whole === undefined ? brief : await verdict.whole(upstreamId);
        const answer = { status: 200, headers: {}, body };
        if (!(await records.claim(work, id, { upstreamId, answer }))) continue;
        onCall({ ...record, status: 200, found: true });
        return answer;
      }
      return undefined;
    };

    const settleUnknown = async (id: string, record: CallRecord, reason: string): Promise<never> => {
      await records.settle(work, id, { state: 'unknown', reason });
      onCall({ ...record, fault: 'outcome_unknown' });
      throw unconfirmed();
    };

    /** Sends what was intended, once, and finds out how it ended. */
    const send = async (
      request: UpstreamRequest,
      planned: CallRecord,
      intend: () => Promise<Intent>,
      carry: Carry,
      mayRepeat = true,
    ): Promise<UpstreamAnswer> => {
      let begun = performance.now();
      const intent = await intend();
      const { id } = intent;
      const record = { ...planned, effectId: id };
      let reason: string;
      try {
        const answer = await carry(request, {
          // A process that slept in between must not send late: another may have taken over.
          left: () => Math.max(1, writeDeadlineMs - (performance.now() - begun)),
          renew: async () => {
            begun = performance.now();
            await records.renew(work, intent);
          },
        });
        const outcome = happened(answer);
        if (outcome === 'yes') {
          await records.settle(work, id, { state: 'sent', answer, upstreamId: idOf(answer.body), found: false });
        }
        if (outcome === 'no') await records.settle(work, id, { state: 'not_sent', reason: `status ${answer.status}` });
        if (outcome === 'perhaps' && step.find === undefined) {
          await records.settle(work, id, { state: 'unknown', reason: `status ${answer.status}` });
          onCall({ ...record, status: answer.status, ms: answer.ms });
          throw new Uncertain(answer);
        }
        if (outcome !== 'perhaps') {
          onCall({ ...record, status: answer.status, ms: answer.ms });
          return answer;
        }
        reason = `status ${answer.status}`;
      } catch (error) {
        if (!(error instanceof Fault) || error instanceof Overtaken) throw error;
        if (!isAmbiguous(error)) {
          await records.settle(work, id, { state: 'not_sent', reason: error.code });
          onCall({ ...record, fault: error.code });
          throw error;
        }
        const given = error.details?.['reason'];
        reason = typeof given === 'string' ? given : error.code;
      }
      if (step.find === undefined) return settleUnknown(id, record, reason);
      const over = Math.max(0, writeDeadlineMs - (performance.now() - begun));
      let absent = false;
      for (const wait of [...looksAfterMs.filter((each) => each < over), over]) {
        await clock.sleep(wait, signal);
        // Left as intended: whoever continues this run will look.
        if (signal?.aborted) throw new Fault('unavailable', 'This process is ending; the run goes on elsewhere.');
        const found = await look(request, intent, record).catch(() => 'unclear' as const);
        if (found !== undefined && found !== 'unclear') return found;
        absent = found === undefined;
      }
      if (!absent) return settleUnknown(id, record, reason);
      // Its deadline is over and it is not there: it did not happen, so it may be tried once more.
      if (mayRepeat) return send(request, planned, () => records.intendAgain(work, id), carry, false);
      await records.settle(work, id, { state: 'not_sent', reason });
      onCall({ ...record, fault: 'upstream_unavailable' });
      throw new Fault('upstream_unavailable', 'The service did not take this; nothing happened. Try again later.');
    };

    /** Meets the record of an earlier, interrupted execution of this run. */
    const resume = async (
      request: UpstreamRequest,
      earlier: EffectRow,
      record: CallRecord,
      carry: Carry,
    ): Promise<UpstreamAnswer> => {
      if (!earlier.digest.equals(digestOf(request))) {
        throw new Fault('internal', 'The run came to another request than before, so it was not repeated.');
      }
      if (earlier.state === 'sent') {
        onCall({ ...record, replayed: true });
        return earlier.answer as UpstreamAnswer;
      }
      if (earlier.state === 'unknown') return settleUnknown(earlier.id, record, 'unknown before');
      if (earlier.state === 'intended') {
        await clock.sleep(Math.max(0, writeDeadlineMs - earlier.age_ms), signal);
        const intent = { id: earlier.id, intendedAt: earlier.intended_at };
        const answer = await look(request, intent, record).catch((error: unknown) => {
          if (staysOpen(error, work)) throw error;
          return settleUnknown(earlier.id, record, 'it could not be looked for');
        });
        if (answer !== undefined) return answer;
        if (step.find === undefined) return settleUnknown(earlier.id, record, 'interrupted');
      }
      return send(request, record, () => records.intendAgain(work, earlier.id, earlier.intended_at), carry);
    };

    const write = async (
      request: UpstreamRequest,
      effect: Exclude<Effect, 'read'>,
      carry: Carry,
    ): Promise<UpstreamAnswer> => {
      if (effect === 'send' && !work.maySend) throw approvalNeeded(request);
      ordinals += 1;
      const ordinal = ordinals;
      await work.begin();
      const record: CallRecord = { method: request.method, path: request.path, effect };
      const earlier = work.resumed ? await records.find(work, ordinal) : undefined;
      if (earlier !== undefined) return resume(request, earlier, { ...record, effectId: earlier.id }, carry);
      return send(request, record, () => records.intend(work, ordinal, effect, request), carry);
    };

    const perform = (request: UpstreamRequest, carry = callOnce): Promise<UpstreamAnswer> => {
      const effect = effectOf(request);
      return effect === 'read' ? read(request) : write(request, effect, carry);
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
    return { ...toUpstream((request) => strictly(request), readFault, transfers), request: asItCame };
  };

  return { upstreamFor };
};
