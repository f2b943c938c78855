import { Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import type { Ready } from './approvals/clearance.ts';
import type { Calling } from './calling.ts';
import type { CallRecord } from './guarded.ts';
import { changedMeanwhile, staysOpen, unconfirmed } from './outcome.ts';
import { digestOf, type EffectRow } from './record.ts';
import type { Carry, SendOnce } from './send-once.ts';

/** What an earlier, interrupted execution of the same run began. */
export type Earlier = {
  /** Finds out how a write ended that this execution does not come to. */
  close(earlier: EffectRow): Promise<EffectRow['state']>;
  /** Comes to a write that was begun: the same one as before, or another in its place. `anew` makes one more record. */
  meet(
    request: UpstreamRequest,
    earlier: EffectRow,
    record: CallRecord,
    how: {
      carry: Carry;
      /** Looks whether it may leave, and answers what must hold once it is intended again. */
      look: () => Promise<Ready>;
      early: boolean;
      anew: () => Promise<UpstreamAnswer>;
    },
  ): Promise<UpstreamAnswer>;
};

export const earlierFor = (calling: Calling, send: SendOnce): Earlier => {
  const { records, clock, work, onCall, signal, writeDeadlineMs, look, settleUnknown } = calling;
  const { step } = work;

  const close: Earlier['close'] = async (earlier) => {
    if (earlier.state !== 'intended') return earlier.state;
    await clock.sleep(Math.max(0, writeDeadlineMs - earlier.age_ms), signal);
    const { id, effect, method, path, intended_at: intendedAt } = earlier;
    const record: CallRecord = { method, path, effect, effectId: id };
    const request = { ...earlier.request, method, path } as UpstreamRequest;
    const found = await look(request, { id, intendedAt }, record).catch((error: unknown) => {
      if (staysOpen(error, work, earlier.age_ms)) throw error;
      return 'unclear' as const;
    });
    if (found !== undefined && found !== 'unclear') return 'sent';
    const state = step.find === undefined || found === 'unclear' ? 'unknown' : 'not_sent';
    await records.settle(work, id, { state, reason: 'interrupted' });
    onCall({ ...record, fault: state === 'unknown' ? 'outcome_unknown' : 'upstream_unavailable' });
    return state;
  };

  /** Intends once more what provably did not happen. */
  const again = (earlier: EffectRow, request: UpstreamRequest, seen: Date | undefined, holds: Ready) => async () => {
    const intent = await records.intendAgain(work, earlier.id, { request, before: work.before?.(), seen });
    await holds().catch(async (error: unknown) => {
      const reason = error instanceof Fault ? error.message : 'interrupted';
      await records.settle(work, earlier.id, { state: 'not_sent', reason });
      throw error;
    });
    return intent;
  };

  const resume: Earlier['meet'] = async (request, earlier, record, { carry, look: lookOnce, early }) => {
    if (earlier.state === 'sent') {
      onCall({ ...record, replayed: true });
      return earlier.answer as UpstreamAnswer;
    }
    if (earlier.state === 'unknown') return settleUnknown(earlier.id, record, 'unknown before');
    if (earlier.state === 'intended') {
      await clock.sleep(Math.max(0, writeDeadlineMs - earlier.age_ms), signal);
      const intent = { id: earlier.id, intendedAt: earlier.intended_at };
      const answer = await look(request, intent, record).catch((error: unknown) => {
        if (staysOpen(error, work, earlier.age_ms)) throw error;
        return settleUnknown(earlier.id, record, 'it could not be looked for');
      });
      if (answer !== undefined) return answer;
      if (step.find === undefined) return settleUnknown(earlier.id, record, 'interrupted');
    }
    const holds = await lookOnce();
    return send(request, record, again(earlier, request, earlier.intended_at, holds), carry, { early });
  };

  /** The run came to another request than before: what it depends on was changed, by itself or by others. */
  const replace: Earlier['meet'] = async (request, earlier, record, { carry, look: lookOnce, early, anew }) => {
    const state = await close(earlier);
    if (state === 'not_sent') {
      const holds = await lookOnce();
      return send(request, record, again(earlier, request, undefined, holds), carry, { early });
    }
    if (state === 'unknown') throw unconfirmed();
    // Changing what is there once more does no harm; making or sending something would.
    if (record.effect !== 'write' || request.method === 'POST') throw changedMeanwhile(earlier.id);
    return anew();
  };

  const meet: Earlier['meet'] = (request, earlier, record, how) =>
    (earlier.digest.equals(digestOf(request)) ? resume : replace)(request, earlier, record, how);

  return { close, meet };
};
