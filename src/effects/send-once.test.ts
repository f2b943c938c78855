import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '#clock';
import { type Effect, Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import type { TimedAnswer } from '#upstream';
import type { Calling } from './calling.ts';
import { Uncertain, unconfirmed } from './outcome.ts';
import { Overtaken } from './record.ts';
import { type Carry, sendOnceFor } from './send-once.ts';

const answered = (status: number, body = `answered ${status}`): TimedAnswer => ({
  status,
  headers: {},
  body,
  ms: 1,
  bytes: 1,
});
const lost = new Fault('outcome_unknown', 'The connection broke.', { details: { reason: 'reset' } });
const away = new Fault('upstream_unavailable', 'The service is away.');
const refused = new Fault('forbidden', 'The service refuses this.');
const busy = new Fault('rate_limited', 'The service asks us to wait.', { retryAfterMs: 60_000 });

type Sent = {
  /** How the service meets each attempt, in order. */
  met?: (TimedAnswer | Error)[];
  /** What each look finds, in order, and then nothing; `false` where the step cannot look. */
  found?: (UpstreamAnswer | Error | undefined)[] | false;
  method?: string;
  effect?: Exclude<Effect, 'read'>;
  restored?: boolean;
  lastTry?: boolean;
  /** This process is told to end. */
  ending?: boolean;
  /** How long ago its time began. */
  agoMs?: number;
  during?: (term: Parameters<Carry>[1]) => Promise<void>;
  early?: boolean;
  /** Answers several requests in one. */
  inside?: UpstreamAnswer[];
};

/** Sends something, and tells what became of it: every step on the way, and its end. */
const send = async (how: Sent) => {
  const { met = [answered(200)], found = [], method = 'POST', effect = 'send', restored = false, inside } = how;
  const done: unknown[] = [];
  const attempts = [...met];
  const looks = found === false ? [] : [...found];
  const request = { method, path: '/me/sendMail' } as unknown as UpstreamRequest;
  const intent = { id: 'eff_1', intendedAt: new Date(), attempt: 1 };
  const upstream = { idOf: () => 'made', ...(inside && { writesIn: () => inside }) };
  const calling = {
    records: {
      settle: async (_: unknown, _id: string, { state }: { state: string }) => void done.push(`settled ${state}`),
      intendAgain: async () => {
        await nextTurn();
        done.push('intended again');
        return { ...intent, attempt: 2 };
      },
      renew: async () => void done.push('renewed'),
    },
    clock: { sleep: async () => {} } as unknown as Clock,
    work: {
      lastTry: how.lastTry ?? false,
      step: { integration: { upstream }, ...(found !== false && { find: true }) },
    },
    onCall: () => {},
    signal: how.ending ? AbortSignal.abort() : undefined,
    writeDeadlineMs: 10_000,
    isRestored: () => restored,
    look: async () => {
      done.push('looked');
      const seen = looks.shift();
      if (seen instanceof Error) throw seen;
      return seen;
    },
    settleUnknown: async () => {
      done.push('settled unknown');
      throw unconfirmed();
    },
  } as unknown as Calling;
  const carry: Carry = async (_, term) => {
    done.push('begun');
    await term.intended;
    await how.during?.(term);
    const next = attempts.shift() ?? new Error('sent once too often');
    done.push('left');
    if (next instanceof Error) throw next;
    return next;
  };
  const intend = async () => {
    await nextTurn();
    done.push('intended');
    return intent;
  };
  const planned = { method, path: request.path, effect };
  const since = performance.now() - (how.agoMs ?? 0);
  const end = await sendOnceFor(calling)(request, planned, intend, carry, { since, early: how.early ?? false }).then(
    ({ body }) => body,
    (error: unknown) => {
      if (error instanceof Uncertain) return `uncertain ${error.answer.status}`;
      return error instanceof Fault && !(error instanceof Overtaken) ? error.code : error;
    },
  );
  return [...done, end];
};

const once = ['intended', 'begun', 'left'];
const there = answered(200, 'found');

test.each<[string, Sent, unknown[]]>([
  ['is taken was sent', {}, [...once, 'settled sent', 'answered 200']],
  [
    'is got ready early leaves no sooner',
    { early: true },
    ['begun', 'intended', 'left', 'settled sent', 'answered 200'],
  ],
  ['is refused was not sent', { met: [answered(403)] }, [...once, 'settled not_sent', 'answered 403']],
  ['never left was not sent', { met: [away] }, [...once, 'settled not_sent', 'upstream_unavailable']],
  ['is done in part was sent', { inside: [answered(403), answered(202)] }, [...once, 'settled sent', 'answered 200']],
  [
    'was refused in all its parts was not sent',
    { inside: [answered(403)] },
    [...once, 'settled not_sent', 'answered 200'],
  ],
  [
    'may have been done and cannot be looked for is unknown',
    { met: [answered(504)], found: false },
    [...once, 'settled unknown', 'uncertain 504'],
  ],
  [
    'has no answer and cannot be looked for is unknown',
    { met: [lost], found: false },
    [...once, 'settled unknown', 'outcome_unknown'],
  ],
  ['may have been done is looked for', { met: [answered(504)], found: [there] }, [...once, 'looked', 'found']],
  [
    'has no answer is looked for until its time is over',
    { met: [lost], found: [undefined, away, there] },
    [...once, 'looked', 'looked', 'looked', 'found'],
  ],
  [
    'nobody can tell is unknown, and not sent again',
    { met: [lost], found: [undefined, undefined, refused] },
    [...once, 'looked', 'looked', 'looked', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'the service is away for when we look stays in doubt',
    { met: [lost], found: [undefined, undefined, away] },
    [...once, 'looked', 'looked', 'looked', 'unavailable'],
  ],
  [
    'is found while storage is away stays in doubt',
    { met: [lost], found: [undefined, undefined, new Error('Connection terminated unexpectedly')] },
    [...once, 'looked', 'looked', 'looked', 'unavailable'],
  ],
  [
    'the service is away for when nobody comes to look again is unknown',
    { met: [lost], found: [undefined, undefined, away], lastTry: true },
    [...once, 'looked', 'looked', 'looked', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'the service wants us to wait for before we look stays in doubt',
    { met: [lost], found: [busy, busy, busy] },
    [...once, 'looked', 'looked', 'looked', 'unavailable'],
  ],
  ['is in doubt when this process ends stays so', { met: [lost], ending: true }, [...once, 'unavailable']],
  [
    'is not there is sent once more',
    { met: [lost, answered(200)] },
    [...once, 'looked', 'looked', 'looked', 'begun', 'intended again', 'left', 'settled sent', 'answered 200'],
  ],
])('what %s', async (_, how, expected) => {
  expect(await send(how)).toEqual(expected);
});

test('what is not there after a second try is not tried a third time', async () => {
  const all = await send({ met: [lost, lost, answered(200)] });
  expect(all.filter((each) => each === 'left')).toHaveLength(2);
  expect(all.slice(-2)).toEqual(['settled not_sent', 'upstream_unavailable']);
});

test.each([
  [0, 10_000],
  [4_000, 6_000],
  [60_000, 1],
])(
  'begun %i ms ago, an attempt has %i ms left, and all of its time once it says that it goes on',
  async (agoMs, ms) => {
    const left: number[] = [];
    const during = async (term: Parameters<Carry>[1]) => {
      left.push(term.left());
      await term.renew();
      left.push(term.left());
    };
    expect(await send({ agoMs, during })).toEqual([
      'intended',
      'begun',
      'renewed',
      'left',
      'settled sent',
      'answered 200',
    ]);
    expect(left).toEqual([expect.closeTo(ms, -3), expect.closeTo(10_000, -3)]);
    expect(left[0]).toBeGreaterThan(0);
  },
);

test('what another process has taken over is left to it', async () => {
  const overtaken = new Overtaken();
  expect(await send({ met: [overtaken] })).toEqual([...once, overtaken]);
});

test.each<[string, Sent, unknown[]]>([
  ['is there is not sent again', { found: [there] }, ['intended', 'looked', 'found']],
  ['is not there is sent', {}, ['intended', 'looked', 'renewed', 'begun', 'left', 'settled sent', 'answered 200']],
  ['cannot be told waits', { found: [away] }, ['intended', 'looked', 'upstream_unavailable']],
  [
    'cannot be told is unknown if nobody comes to look again',
    { found: [away], lastTry: true },
    ['intended', 'looked', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'cannot be looked for and would be sent is unknown',
    { found: false, method: 'PATCH' },
    ['intended', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'cannot be looked for and would be made is unknown',
    { found: false, effect: 'write' },
    ['intended', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'only changes something is done',
    { found: false, method: 'PATCH', effect: 'write' },
    ['intended', 'renewed', 'begun', 'left', 'settled sent', 'answered 200'],
  ],
])('after a backup was restored, what %s', async (_, how, expected) => {
  expect(await send({ ...how, restored: true, early: true })).toEqual(expected);
});
