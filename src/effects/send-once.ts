import { Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import { isAmbiguous, type TimedAnswer } from '#upstream';
import { type Calling, told } from './calling.ts';
import type { CallRecord } from './guarded.ts';
import { lookUntil } from './look.ts';
import { happened, happenedOf, staysOpen, Uncertain } from './outcome.ts';
import { type Intent, Overtaken } from './record.ts';

/** When an attempt may begin, how long it may still take, and how one that takes long says so before the moment that counts. */
type Term = { intended: Promise<unknown>; left(): number; renew(): Promise<void> };
export type Carry = (request: UpstreamRequest, term: Term) => Promise<TimedAnswer>;

/** Sends what was intended, once, and finds out how it ended. */
export type SendOnce = (
  request: UpstreamRequest,
  planned: CallRecord,
  intend: () => Promise<Intent>,
  carry: Carry,
  how?: { mayRepeat?: boolean; since?: number; early?: boolean },
) => Promise<UpstreamAnswer>;

export const sendOnceFor = (calling: Calling): SendOnce => {
  const { records, clock, work, onCall, signal, writeDeadlineMs, isRestored, look, settleUnknown } = calling;
  const { step } = work;

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

  /** Settles what the answer tells. An answer that leaves it open is left to a look, where the step can look. */
  const settleBy = async (
    answer: TimedAnswer,
    request: UpstreamRequest,
    record: CallRecord & { effectId: string },
  ): Promise<boolean> => {
    const { idOf, idIn, writesIn, confirms } = step.integration.upstream;
    const id = record.effectId;
    const answers = (happened(answer) === 'yes' ? writesIn?.(request, answer) : undefined) ?? [answer];
    const isOdd = step.find !== undefined && happened(answer) === 'yes' && confirms?.(request, answer) === false;
    const outcome = isOdd ? 'perhaps' : happenedOf(answers);
    const reason = `status ${answers.map(({ status }) => status).join(', ')}`;
    if (outcome === 'yes') {
      const about = idIn?.(request.path);
      await records.settle(work, id, { state: 'sent', answer, upstreamId: idOf(answer.body), about, found: false });
    }
    if (outcome === 'no') await records.settle(work, id, { state: 'not_sent', reason });
    if (outcome === 'perhaps' && step.find === undefined) {
      await records.settle(work, id, { state: 'unknown', reason });
      onCall({ ...record, ...told(answer) });
      throw new Uncertain(answer);
    }
    if (outcome === 'perhaps') return false;
    onCall({ ...record, ...told(answer) });
    return true;
  };

  const send: SendOnce = async (
    request,
    planned,
    intend,
    carry,
    { mayRepeat = true, since = performance.now(), early = true } = {},
  ) => {
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
      if (await settleBy(answer, request, record)) return answer;
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
    const found = await lookUntil({ clock, signal, work, overMs }, () => look(request, intent, record));
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
  return send;
};
