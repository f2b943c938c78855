import { expect, test } from 'vitest';
import type { Clock } from '#clock';
import { type Effect, Fault, type UpstreamAnswer, type UpstreamRequest } from '#kit';
import type { Calling } from './calling.ts';
import { earlierFor } from './earlier.ts';
import { unconfirmed } from './outcome.ts';
import { digestOf, type EffectRow } from './record.ts';

const requestOf = (method: string) =>
  ({ method, path: '/1/cards', body: { name: 'Milk' } }) as unknown as UpstreamRequest;
const before = requestOf('POST');
const answer = (body: string): UpstreamAnswer => ({ status: 200, headers: {}, body });
const intendedAt = new Date('2026-01-01T00:00:00Z');
const away = new Fault('upstream_unavailable', 'The service is away.');

type Met = {
  state: EffectRow['state'];
  /** What the run comes to now; the same as before unless it says otherwise. */
  now?: UpstreamRequest;
  effect?: Exclude<Effect, 'read'>;
  /** What a look finds; `false` where the step cannot look. */
  found?: UpstreamAnswer | Fault | false;
  lastTry?: boolean;
  /** How long it may stay in doubt. */
  longestDoubtMs?: number;
  mayLeave?: () => Promise<void>;
};

/** Comes to a write of which an earlier execution left a record, and tells what became of both. */
const meet = async ({
  state,
  now = before,
  effect = 'write',
  found,
  lastTry = false,
  longestDoubtMs = 60_000,
  mayLeave = async () => {},
}: Met) => {
  const done: unknown[] = [];
  const row = { id: 'eff_1', state, age_ms: 4_000, intended_at: intendedAt, digest: digestOf(before), method: 'POST' };
  const earlier = {
    ...row,
    path: '/1/cards',
    answer: answer('as before'),
    account_id: 'acc_1',
  } as unknown as EffectRow;
  const calling = {
    records: {
      settle: async (_: unknown, _id: string, end: { state: string }) => void done.push(`settled ${end.state}`),
      intendAgain: async (_: unknown, id: string, { seen }: { seen?: Date }) => {
        done.push(seen === undefined ? 'intended' : `intended as of ${seen.getTime() - intendedAt.getTime()}`);
        return { id, intendedAt, attempt: 2 };
      },
    },
    clock: { sleep: async (ms: number) => void done.push(`waited ${ms}`) } as unknown as Clock,
    work: { lastTry, longestDoubtMs, step: found === false ? {} : { find: async () => ({ made: [] }) } },
    onCall: () => {},
    writeDeadlineMs: 10_000,
    look: async () => {
      if (found instanceof Fault) throw found;
      return found === false ? undefined : found;
    },
    settleUnknown: async () => {
      done.push('settled unknown');
      throw unconfirmed();
    },
  } as unknown as Calling;
  const { meet: comeTo } = earlierFor(calling, async (_request, _planned, intend) => {
    await intend();
    done.push('sent');
    return answer('sent now');
  });
  const how = {
    carry: async () => ({ ...answer(''), ms: 0, bytes: 0 }),
    look: async () => mayLeave,
    early: true,
    anew: async () => {
      done.push('sent');
      return answer('made anew');
    },
  };
  const record = { method: now.method, path: now.path, effect, effectId: 'eff_1' };
  const end = await comeTo(now, earlier, record, how).then(
    ({ body }) => body,
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );
  return [...done, end];
};

const refused = async () => {
  throw new Fault('approval_denied', 'A person refused this.');
};
const other = { ...before, body: { name: 'Bread' } };

test.each<[string, Met, unknown[]]>([
  ['was sent is answered from its record', { state: 'sent' }, ['as before']],
  ['is unknown stays unknown', { state: 'unknown' }, ['settled unknown', 'outcome_unknown']],
  ['did not happen is sent', { state: 'not_sent' }, ['intended as of 0', 'sent', 'sent now']],
  [
    'is in doubt is found once its time is over',
    { state: 'intended', found: answer('found') },
    ['waited 6000', 'found'],
  ],
  ['is in doubt and not there is sent', { state: 'intended' }, ['waited 6000', 'intended as of 0', 'sent', 'sent now']],
  [
    'is in doubt and cannot be looked for is unknown',
    { state: 'intended', found: false },
    ['waited 6000', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'is in doubt stays so while the service is away',
    { state: 'intended', found: away },
    ['waited 6000', 'upstream_unavailable'],
  ],
  [
    'is in doubt is unknown if nobody comes to look again',
    { state: 'intended', found: away, lastTry: true },
    ['waited 6000', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'is in doubt for long while the service is away is unknown, although its run waits on',
    { state: 'intended', found: away, longestDoubtMs: 3_000 },
    ['waited 6000', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'did not happen and may not leave any more is not sent',
    { state: 'not_sent', mayLeave: refused },
    ['intended as of 0', 'settled not_sent', 'approval_denied'],
  ],
])('the same write again: what %s', async (_, met, expected) => {
  expect(await meet(met)).toEqual(expected);
});

test.each<[string, Met, unknown[]]>([
  ['did not happen is sent in its place', { state: 'not_sent', now: other }, ['intended', 'sent', 'sent now']],
  ['is unknown leaves it unknown', { state: 'unknown', now: other }, ['outcome_unknown']],
  ['was made is not made again', { state: 'sent', now: other }, ['conflict']],
  ['was changed is changed once more', { state: 'sent', now: requestOf('PUT') }, ['sent', 'made anew']],
  ['was sent to somebody is not sent again', { state: 'sent', now: requestOf('PUT'), effect: 'send' }, ['conflict']],
  [
    'is in doubt and there is not made again',
    { state: 'intended', now: other, found: answer('found') },
    ['waited 6000', 'conflict'],
  ],
  [
    'is in doubt and not there is sent in its place',
    { state: 'intended', now: other },
    ['waited 6000', 'settled not_sent', 'intended', 'sent', 'sent now'],
  ],
  [
    'is in doubt and cannot be looked for is unknown',
    { state: 'intended', now: other, found: false },
    ['waited 6000', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'is in doubt stays so while the service is away',
    { state: 'intended', now: other, found: away },
    ['waited 6000', 'upstream_unavailable'],
  ],
  [
    'is in doubt is unknown if nobody comes to look again',
    { state: 'intended', now: other, found: away, lastTry: true },
    ['waited 6000', 'settled unknown', 'outcome_unknown'],
  ],
  [
    'did not happen and may not leave is not sent in its place',
    { state: 'not_sent', now: other, mayLeave: refused },
    ['intended', 'settled not_sent', 'approval_denied'],
  ],
])('another write in its place: what %s', async (_, met, expected) => {
  expect(await meet(met)).toEqual(expected);
});
