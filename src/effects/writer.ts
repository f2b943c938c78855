import { type Effect, Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import type { Clearance, Ready } from './approvals/clearance.ts';
import type { Calling } from './calling.ts';
import { type Earlier, earlierFor } from './earlier.ts';
import type { CallRecord } from './guarded.ts';
import { metBy } from './met-by.ts';
import type { EffectRow, Intent } from './record.ts';
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
  /** What an interrupted execution left and this one has not come to yet. */
  let left: readonly EffectRow[] = [];
  let loading: Promise<void> | undefined;
  /** What was found before it, kept with a write already. */
  let told: unknown;
  const load = async (): Promise<void> => {
    left = await records.all(work, work.ordinalsFrom, work.ordinalsTo);
    ordinals = left.at(-1)?.ordinal ?? ordinals;
  };

  /** What the interrupted execution left of this write, or of the one whose place it takes. */
  const leftOf = async (request: UpstreamRequest, effect: Exclude<Effect, 'read'>): Promise<EffectRow | undefined> => {
    loading ??= load();
    await loading;
    const earlier = metBy(left, request, effect);
    left = left.filter((each) => each !== earlier);
    // How it ended may have become known since.
    return earlier?.state === 'intended' ? records.find(work, earlier.ordinal) : earlier;
  };

  const write: Writer['write'] = async (request, effect, carry) => {
    const record: CallRecord = { method: request.method, path: request.path, effect };
    const earlier = work.resumed ? await leftOf(request, effect) : undefined;
    if (earlier === undefined) ordinals += 1;
    const ordinal = earlier?.ordinal ?? ordinals;
    const { ready, kept, mayAsk, held } = cleared(request, effect, ordinal, made);
    const look = async (): Promise<Ready> => {
      const since = performance.now();
      await ready();
      return () => undisturbed.check(request, held, since, ready);
    };
    // What may still be asked about is looked at first, which needs the places at the service that others would hold.
    const early = effect === 'write' || (work.excess === undefined && !undisturbed.isHeld(request, held));
    if (earlier !== undefined) {
      await work.begin();
      const how = { carry, look, early, anew: () => write(request, effect, carry) };
      const met = await earlierOnes.meet(request, earlier, { ...record, effectId: earlier.id }, how);
      made.push(met.body);
      return met;
    }
    if (mayAsk) await work.stored?.();
    const holds = await look();
    const before = work.before?.();
    const planned = records.plan(work, ordinal, effect, request, before === told ? undefined : before);
    told = before;
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
