import type { Caller, CallOptions } from '#accounts';
import type { Clock, Intervals } from '#clock';
import { Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { type TimedAnswer, toUpstream } from '#upstream';
import type { CallRecord, Guarded } from './guarded.ts';
import { lookFor } from './look.ts';
import { unconfirmed } from './outcome.ts';
import type { EffectRecords, Intent } from './record.ts';

/** What every execution calls with. */
export type CallingMeans = {
  records: EffectRecords;
  caller: Caller;
  clock: Clock;
  intervals: Pick<Intervals, 'writeDeadlineMs'>;
  /** What happened before, since the backup was taken that was brought back then, is missing from the records. */
  restoredAt?: (() => Date | undefined) | undefined;
};

/** The calls of one execution of a run's step, each told to its journal. */
export type Calling = Pick<CallingMeans, 'records' | 'clock'> & {
  work: Guarded;
  onCall: (call: CallRecord) => void;
  signal: AbortSignal | undefined;
  writeDeadlineMs: number;
  /** Whether the records may lack what this run did. */
  isRestored(): boolean;
  call(request: UpstreamRequest, how?: CallOptions): Promise<TimedAnswer>;
  read(request: UpstreamRequest, how?: CallOptions): Promise<UpstreamAnswer>;
  /** What an uncertain write made; `undefined` where it is not there, or the step cannot look. */
  look(
    request: UpstreamRequest,
    intent: Pick<Intent, 'id' | 'intendedAt'>,
    record: CallRecord,
  ): Promise<UpstreamAnswer | undefined>;
  settleUnknown(id: string, record: CallRecord, reason: string): Promise<never>;
};

const longestRequestId = 200;

/** What the journal keeps of an answer. */
export const told = ({ status, ms, headers }: TimedAnswer): Pick<CallRecord, 'status' | 'ms' | 'requestId'> => {
  const requestId = headers['request-id']?.slice(0, longestRequestId);
  return { status, ms, ...(requestId === undefined ? {} : { requestId }) };
};

export const callingFor = (
  { records, caller, clock, intervals: { writeDeadlineMs }, restoredAt }: CallingMeans,
  work: Guarded,
  onCall: (call: CallRecord) => void,
  signal: AbortSignal | undefined,
): Calling => {
  const { workspaceId, accountId, step } = work;
  let { seen } = work;

  const isRestored = (): boolean => {
    const at = restoredAt?.();
    return at !== undefined && work.begunAt() < at;
  };

  const call: Calling['call'] = (request, how = {}) => {
    const given = { ...how, signal, impatient: step.passThrough, seen };
    seen = undefined;
    return caller.asAccount(workspaceId, accountId, request, given);
  };

  const read: Calling['read'] = async (request, how) => {
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

  const look: Calling['look'] = async (request, intent, record) => {
    const means = { records, clock, withinMs: writeDeadlineMs, signal };
    const since = isRestored() ? { ...intent, intendedAt: work.begunAt() } : intent;
    const upstream = toUpstream(read, step.integration.upstream.readFault);
    const found = await lookFor(means, work, upstream, request, since);
    if (found !== undefined) onCall({ ...record, status: 200, found: true });
    return found;
  };

  const settleUnknown: Calling['settleUnknown'] = async (id, record, reason) => {
    await records.settle(work, id, { state: 'unknown', reason });
    onCall({ ...record, fault: 'outcome_unknown' });
    throw unconfirmed();
  };

  return { records, clock, work, onCall, signal, writeDeadlineMs, isRestored, call, read, look, settleUnknown };
};
