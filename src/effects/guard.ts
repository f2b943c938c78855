import type { Caller } from '#accounts';
import type { Clock } from '#clock';
import { type CatalogueStep, type Effect, Fault, type Upstream, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { isAmbiguous, toUpstream } from '#upstream';
import { digestOf, type EffectRecords, type EffectRow, type Intent, type Owner } from './record.ts';

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
  /** Whether an earlier execution of this run may have left records. */
  resumed: boolean;
};

export type Guard = {
  /** The upstream for one execution of a run's step. Every write passes its record; reads go straight through. */
  upstreamFor(work: Guarded, onCall: (call: CallRecord) => void, signal?: AbortSignal): Upstream;
};

/** How long a write may take in all. Whoever takes over waits this long before it looks whether it happened. */
const writeDeadlineMs = 15_000;
// The services' clocks and ours may differ; what a look finds from before is told apart by other effects' claims.
const clockSkewMs = 120_000;
// A write that just ended uncertainly may still be under way at the service.
const looksAfterMs = [500, 2_000];

const happened = ({ status }: UpstreamAnswer): 'yes' | 'no' | 'perhaps' => {
  if (status >= 200 && status < 400) return 'yes';
  return status >= 500 ? 'perhaps' : 'no';
};

export const createGuard = (options: { records: EffectRecords; caller: Caller; clock: Clock }): Guard => {
  const { records, caller, clock } = options;

  const upstreamFor: Guard['upstreamFor'] = (work, onCall, signal) => {
    const { workspaceId, accountId, step, input } = work;
    const { effectOf, readFault, idOf } = step.integration.upstream;
    let writes = 0;

    const call = (request: UpstreamRequest, deadlineMs?: number) =>
      caller.asAccount(workspaceId, accountId, request, { deadlineMs, signal });

    const read = async (request: UpstreamRequest): Promise<UpstreamAnswer> => {
      const record: CallRecord = { method: request.method, path: request.path, effect: 'read' };
      try {
        const answer = await call(request);
        onCall({ ...record, status: answer.status, ms: answer.ms });
        return answer;
      } catch (error) {
        onCall({ ...record, fault: error instanceof Fault ? error.code : 'internal' });
        throw error;
      }
    };

    /** Looks for what an uncertain write made. `undefined`: it is not there, or this step cannot look. */
    const look = async (request: UpstreamRequest, intendedAt: Date): Promise<UpstreamAnswer | undefined> => {
      if (step.find === undefined) return undefined;
      const since = new Date(intendedAt.getTime() - clockSkewMs);
      const found = await step.find(input, { upstream: toUpstream(read, readFault), since, request });
      const ids = found.flatMap((each) => idOf(each) ?? []);
      const taken = await records.claimed(work, ids);
      const mine = found.find((each) => !taken.has(idOf(each) ?? ''));
      return mine === undefined ? undefined : { status: 200, headers: {}, body: mine };
    };

    const settleFound = async (id: string, record: CallRecord, answer: UpstreamAnswer): Promise<UpstreamAnswer> => {
      await records.settle(work, id, { state: 'sent', answer, upstreamId: idOf(answer.body), found: true });
      onCall({ ...record, status: answer.status, found: true });
      return answer;
    };

    const settleUnknown = async (id: string, record: CallRecord, reason: string): Promise<never> => {
      await records.settle(work, id, { state: 'unknown', reason });
      onCall({ ...record, fault: 'outcome_unknown' });
      throw new Fault(
        'outcome_unknown',
        'The service did not confirm this. It may have happened: look before repeating.',
        {
          details: { effectId: id },
        },
      );
    };

    /** Sends what was intended, once, and finds out how it ended. */
    const send = async (
      request: UpstreamRequest,
      planned: CallRecord,
      intend: () => Promise<Intent>,
    ): Promise<UpstreamAnswer> => {
      const begun = performance.now();
      const { id, intendedAt } = await intend();
      const record = { ...planned, effectId: id };
      let reason: string;
      try {
        // A process that slept in between must not send late: another may have taken over.
        const deadlineMs = Math.max(1, writeDeadlineMs - (performance.now() - begun));
        const answer = await call(request, deadlineMs);
        const outcome = happened(answer);
        if (outcome === 'yes') {
          await records.settle(work, id, { state: 'sent', answer, upstreamId: idOf(answer.body), found: false });
        }
        if (outcome === 'no') await records.settle(work, id, { state: 'not_sent', reason: `status ${answer.status}` });
        if (outcome !== 'perhaps') {
          onCall({ ...record, status: answer.status, ms: answer.ms });
          return answer;
        }
        reason = `status ${answer.status}`;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (!isAmbiguous(error)) {
          await records.settle(work, id, { state: 'not_sent', reason: error.code });
          onCall({ ...record, fault: error.code });
          throw error;
        }
        reason = String(error.details?.['reason'] ?? error.code);
      }
      for (const wait of looksAfterMs) {
        await clock.sleep(wait, signal);
        const answer = await look(request, intendedAt).catch(() => undefined);
        if (answer !== undefined) return settleFound(id, record, answer);
      }
      return settleUnknown(id, record, reason);
    };

    /** Meets the record of an earlier, interrupted execution of this run. */
    const resume = async (
      request: UpstreamRequest,
      earlier: EffectRow,
      record: CallRecord,
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
        const answer = await look(request, earlier.intended_at);
        if (answer !== undefined) return settleFound(earlier.id, record, answer);
        if (step.find === undefined) return settleUnknown(earlier.id, record, 'interrupted');
      }
      return send(request, record, () => records.intendAgain(work, earlier.id));
    };

    const write = async (request: UpstreamRequest, effect: Exclude<Effect, 'read'>): Promise<UpstreamAnswer> => {
      writes += 1;
      const ordinal = writes;
      const record: CallRecord = { method: request.method, path: request.path, effect };
      const earlier = work.resumed ? await records.find(work, ordinal) : undefined;
      if (earlier !== undefined) return resume(request, earlier, { ...record, effectId: earlier.id });
      return send(request, record, () => records.intend(work, ordinal, effect, request));
    };

    return toUpstream((request) => {
      const effect = effectOf(request);
      return effect === 'read' ? read(request) : write(request, effect);
    }, readFault);
  };

  return { upstreamFor };
};
