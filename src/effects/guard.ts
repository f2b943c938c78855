import type { Caller, CallOptions } from '#accounts';
import type { Clock, Intervals } from '#clock';
import { type Content, type Effect, Fault, type Upstream, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { isAmbiguous, type TimedAnswer, toUpstream } from '#upstream';
import type { Clearance, Ready } from './approvals/clearance.ts';
import { type EffectNow, effectNow } from './effect-now.ts';
import type { CallRecord, Guarded } from './guarded.ts';
import { lookFor, lookUntil } from './look.ts';
import { changedMeanwhile, happened, staysOpen, Uncertain, unconfirmed } from './outcome.ts';
import { digestOf, type EffectRecords, type EffectRow, type Intent, Overtaken } from './record.ts';
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

/** When an attempt may begin, how long it may still take, and how one that takes long says so before the moment that counts. */
type Term = { intended: Promise<unknown>; left(): number; renew(): Promise<void> };
type Carry = (request: UpstreamRequest, term: Term) => Promise<TimedAnswer>;

const longestRequestId = 200;

/** What the journal keeps of an answer. */
const told = ({ status, ms, headers }: TimedAnswer): Pick<CallRecord, 'status' | 'ms' | 'requestId'> => {
  const requestId = headers['request-id']?.slice(0, longestRequestId);
  return { status, ms, ...(requestId === undefined ? {} : { requestId }) };
};

export const createGuard = (options: {
  records: EffectRecords;
  caller: Caller;
  clearance: Clearance;
  clock: Clock;
  intervals: Pick<Intervals, 'writeDeadlineMs'>;
  /** What happened before, since the backup was taken that was brought back then, is missing from the records. */
  restoredAt?: (() => Date | undefined) | undefined;
}): Guard => {
  const { records, caller, clearance, clock, restoredAt } = options;
  const { writeDeadlineMs } = options.intervals;

  const upstreamFor: Guard['upstreamFor'] = (work, onCall, signal) => {
    const { workspaceId, accountId, step } = work;
    const { effectOf, readFault, idOf, idIn, uploads } = step.integration.upstream;
    const cleared = clearance.writes(work, signal);
    const made: unknown[] = [];
    let ordinals = work.ordinalsFrom;
    const isRestored = (): boolean => {
      const at = restoredAt?.();
      return at !== undefined && work.begunAt() < at;
    };

    let { seen } = work;
    const call = (request: UpstreamRequest, how: CallOptions = {}) => {
      const given = { ...how, signal, impatient: step.passThrough, seen };
      seen = undefined;
      return caller.asAccount(workspaceId, accountId, request, given);
    };
    const callOnce: Carry = (request, { intended, left }) => call(request, { deadlineMs: left(), after: intended });

    const read = async (request: UpstreamRequest, how?: CallOptions): Promise<UpstreamAnswer> => {
      if (work.stored !== undefined) await work.stored();
      const record: CallRecord = { method: request.method, path: request.path, effect: 'read' };
      try {
        const answer = await call(request, how);
        onCall({ ...record, ...told(answer) });
        return answer;
      } catch (error) {
        onCall({ ...record, fault: error instanceof Fault ? error.code : 'internal' });
        throw error;
      }
    };

    const look = async (request: UpstreamRequest, intent: Pick<Intent, 'id' | 'intendedAt'>, record: CallRecord) => {
      const means = { records, clock, withinMs: writeDeadlineMs, signal };
      const since = isRestored() ? { ...intent, intendedAt: work.begunAt() } : intent;
      const found = await lookFor(means, work, toUpstream(read, readFault), request, since);
      if (found !== undefined) onCall({ ...record, status: 200, found: true });
      return found;
    };

    const settleUnknown = async (id: string, record: CallRecord, reason: string): Promise<never> => {
      await records.settle(work, id, { state: 'unknown', reason });
      onCall({ ...record, fault: 'outcome_unknown' });
      throw unconfirmed();
    };

    /** A run that is older than the restored backup may have done this already, without a record of it. */
    const lookBack = async (request: UpstreamRequest, intent: Intent, record: CallRecord) => {
      const giveUp = () => settleUnknown(intent.id, record, 'a backup was restored since');
      if (step.find !== undefined) {
        return look(request, intent, record).catch((error: unknown) => {
          if (staysOpen(error, work)) throw error;
          return giveUp();
        });
      }
      // Changing or removing what is there once more does no harm.
      return record.effect === 'send' || request.method === 'POST' ? giveUp() : undefined;
    };

    /** Sends what was intended, once, and finds out how it ended. */
    const send = async (
      request: UpstreamRequest,
      planned: CallRecord,
      intend: () => Promise<Intent>,
      carry: Carry,
      { mayRepeat = true, since = performance.now(), early = true } = {},
    ): Promise<UpstreamAnswer> => {
      let begun = since;
      const restored = isRestored();
      const intending = intend();
      const attempt = () =>
        carry(request, {
          intended: intending,
          // A process that slept in between must not send late: another may have taken over.
          left: () => Math.max(1, writeDeadlineMs - (performance.now() - begun)),
          renew: async () => {
            begun = performance.now();
            await records.renew(work, await intending);
          },
        });
      // While the intent is stored, whatever the call needs is got ready.
      const underWay = restored || !early ? undefined : attempt();
      underWay?.catch(() => {});
      const intent = await intending;
      const { id } = intent;
      const record = { ...planned, effectId: id };
      if (restored) {
        const before = await lookBack(request, intent, record);
        if (before !== undefined) return before;
        begun = performance.now();
        await records.renew(work, intent);
      }
      let reason: string;
      try {
        const answer = await (underWay ?? attempt());
        const outcome = happened(answer);
        if (outcome === 'yes') {
          const about = idIn?.(request.path);
          await records.settle(work, id, { state: 'sent', answer, upstreamId: idOf(answer.body), about, found: false });
        }
        if (outcome === 'no') await records.settle(work, id, { state: 'not_sent', reason: `status ${answer.status}` });
        if (outcome === 'perhaps' && step.find === undefined) {
          await records.settle(work, id, { state: 'unknown', reason: `status ${answer.status}` });
          onCall({ ...record, ...told(answer) });
          throw new Uncertain(answer);
        }
        if (outcome !== 'perhaps') {
          onCall({ ...record, ...told(answer) });
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
      const overMs = Math.max(0, writeDeadlineMs - (performance.now() - begun));
      const found = await lookUntil({ clock, signal, overMs }, () => look(request, intent, record));
      if (found === 'unclear') return settleUnknown(id, record, reason);
      if (found !== undefined) return found;
      // Its deadline is over and it is not there: it did not happen, so it may be tried once more.
      if (mayRepeat) {
        return send(request, planned, () => records.intendAgain(work, id, { request }), carry, { mayRepeat: false });
      }
      await records.settle(work, id, { state: 'not_sent', reason });
      onCall({ ...record, fault: 'upstream_unavailable' });
      throw new Fault('upstream_unavailable', 'The service did not take this; nothing happened. Try again later.');
    };

    /** Finds out how a write of an earlier execution ended that this one does not come to. */
    const close = async (earlier: EffectRow): Promise<EffectRow['state']> => {
      if (earlier.state !== 'intended') return earlier.state;
      await clock.sleep(Math.max(0, writeDeadlineMs - earlier.age_ms), signal);
      const { id, effect, method, path, intended_at: intendedAt } = earlier;
      const record: CallRecord = { method, path, effect, effectId: id };
      const request = { ...earlier.request, method, path } as UpstreamRequest;
      const found = await look(request, { id, intendedAt }, record).catch((error: unknown) => {
        if (staysOpen(error, work)) throw error;
        return 'unclear' as const;
      });
      if (found !== undefined && found !== 'unclear') return 'sent';
      const state = step.find === undefined || found === 'unclear' ? 'unknown' : 'not_sent';
      await records.settle(work, id, { state, reason: 'interrupted' });
      onCall({ ...record, fault: state === 'unknown' ? 'outcome_unknown' : 'upstream_unavailable' });
      return state;
    };

    /** Meets the record of an earlier, interrupted execution of this run. */
    const resume = async (
      request: UpstreamRequest,
      earlier: EffectRow,
      record: CallRecord,
      carry: Carry,
      ready: Ready,
    ): Promise<UpstreamAnswer> => {
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
      await ready();
      return send(
        request,
        record,
        () => records.intendAgain(work, earlier.id, { request, seen: earlier.intended_at }),
        carry,
      );
    };

    /** The run came to another request than before: what it depends on was changed, by itself or by others. */
    const replace = async (
      request: UpstreamRequest,
      earlier: EffectRow,
      record: CallRecord,
      carry: Carry,
      ready: Ready,
    ): Promise<UpstreamAnswer> => {
      const state = await close(earlier);
      if (state === 'not_sent') {
        await ready();
        return send(request, record, () => records.intendAgain(work, earlier.id, { request }), carry);
      }
      if (state === 'unknown') throw unconfirmed();
      // Changing what is there once more does no harm; making or sending something would.
      if (record.effect === 'write' && request.method !== 'POST') return write(request, 'write', carry);
      throw changedMeanwhile(earlier.id);
    };

    const write = async (
      request: UpstreamRequest,
      effect: Exclude<Effect, 'read'>,
      carry: Carry,
    ): Promise<UpstreamAnswer> => {
      ordinals += 1;
      const ordinal = ordinals;
      const { ready, kept, mayAsk } = cleared(request, effect, ordinal, made);
      const record: CallRecord = { method: request.method, path: request.path, effect };
      const earlier = work.resumed ? await records.find(work, ordinal) : undefined;
      if (earlier !== undefined) {
        await work.begin();
        const meet = earlier.digest.equals(digestOf(request)) ? resume : replace;
        const met = await meet(request, earlier, { ...record, effectId: earlier.id }, carry, ready);
        made.push(met.body);
        return met;
      }
      if (mayAsk) await work.stored?.();
      await ready();
      const planned = records.plan(work, ordinal, effect, request);
      // An attempt's time begins before it is intended.
      const since = performance.now();
      const intend = async (): Promise<Intent> => {
        const first = await work.begin(planned);
        const intended: Intent =
          first === undefined
            ? await records.intend(work, planned)
            : { id: planned.id, intendedAt: first.intended_at, attempt: first.attempts };
        await kept(planned.id).catch(async (error: unknown) => {
          await records.settle(work, planned.id, { state: 'not_sent', reason: 'it waits for a person' });
          throw error;
        });
        return intended;
      };
      // What may still be asked about is looked at first, which needs the places at the service that others would hold.
      const early = effect === 'write' || work.excess === undefined;
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
        for (const each of await records.open(work, work.ordinalsFrom, work.ordinalsTo)) await close(each);
      },
    };
  };

  return { upstreamFor };
};
