import { type Effect, Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import type { Clearance, Ready } from './approvals/clearance.ts';
import type { Calling } from './calling.ts';
import { type Earlier, earlierFor } from './earlier.ts';
import type { CallRecord } from './guarded.ts';
import type { Intent } from './record.ts';
import { type Carry, sendOnceFor } from './send-once.ts';
import { undisturbedFor } from './undisturbed.ts';

/** The writes of one execution of a run's step, each under its record. */
export type Writer = Pick<Earlier, 'close'> & {
  write(request: UpstreamRequest, effect: Exclude<Effect, 'read'>, carry: Carry): Promise<UpstreamAnswer>;
};

export const writerFor = (calling: Calling, clearance: Clearance): Writer => {
  const { records, work, signal } = calling;
  const cleared = clearance.writes(work, signal);
  const send = sendOnceFor(calling);
  const undisturbed = undisturbedFor(calling);
  const earlierOnes = earlierFor(calling, send);
  const made: unknown[] = [];
  let ordinals = work.ordinalsFrom;

  const write: Writer['write'] = async (request, effect, carry) => {
    const record: CallRecord = { method: request.method, path: request.path, effect };
    const before = earlierOnes.madeElsewhere(request, record);
    if (before !== undefined) {
      made.push(before.body);
      return before;
    }
    ordinals += 1;
    const ordinal = ordinals;
    const { ready, kept, mayAsk, held } = cleared(request, effect, ordinal, made);
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

  return { write, close: earlierOnes.close };
};
