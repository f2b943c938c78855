import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { UpstreamRequest } from '#kit';
import type { Calling } from './calling.ts';
import type { Besides } from './record.ts';
import { undisturbedFor } from './undisturbed.ts';

type Beside = { path: string; state?: string; made?: string[] };

const requestTo = (path: string) => ({ method: 'POST', path }) as unknown as UpstreamRequest;
const drafts = (verb: string) => (request: { path: string }) => {
  const [, done, draft] = request.path.split('/');
  return done === verb && draft !== undefined ? [draft] : [];
};

/** Checks one write, beside what others intend at each look, and tells what was done on the way. */
const check = async (path: string, looks: Beside[][], how: { held?: boolean; passThrough?: boolean } = {}) => {
  const { held = true, passThrough = true } = how;
  const done: string[] = [];
  const rounds = [...looks];
  const calling = {
    records: {
      besides: async () => {
        done.push('looked around');
        const round = rounds.length > 1 ? rounds.shift() : rounds[0];
        return (round ?? []).map(
          (each) => ({ method: 'POST', state: 'intended', request: {}, made: [], ...each }) as unknown as Besides,
        );
      },
    },
    clock: {
      sleep: async () => {
        done.push('waited');
        await nextTurn();
      },
    },
    work: {
      step: {
        passThrough,
        integration: { upstream: { showing: { letsLeave: drafts('send'), alters: drafts('change') } } },
      },
    },
    writeDeadlineMs: 10_000,
  } as unknown as Calling;
  const ready = async () => void done.push('looked again');
  const end = undisturbedFor(calling).check(requestTo(path), held, performance.now(), ready);
  return [
    ...(await end.then(
      () => [],
      ({ code }: { code: string }) => [code],
    )),
    ...done,
  ];
};

test.each<[string, Beside[][], string[]]>([
  ['with nobody beside it', [[]], ['looked around']],
  ['beside what changes no draft', [[{ path: '/read/d1' }]], ['looked around']],
  [
    'beside a change of it: waits, and is looked at again',
    [[{ path: '/change/d1' }], [{ path: '/change/d1', state: 'sent' }]],
    ['looked around', 'waited', 'looked around', 'looked again'],
  ],
  [
    'after a change of it: is looked at again',
    [[{ path: '/change/d1', state: 'sent' }]],
    ['looked around', 'looked again'],
  ],
  [
    'beside two changes of it, one of them under way: waits',
    [[{ path: '/change/d1', state: 'sent' }, { path: '/change/d1' }], []],
    ['looked around', 'waited', 'looked around'],
  ],
  [
    'beside a change of one that may be it by another name: waits',
    [[{ path: '/change/d2' }], []],
    ['looked around', 'waited', 'looked around'],
  ],
  [
    'beside a change of one that the other run made: leaves',
    [[{ path: '/change/d2', made: ['d2'] }]],
    ['looked around'],
  ],
  [
    'beside a change of it by the run that made it: waits',
    [[{ path: '/change/d1', made: ['d1'] }], []],
    ['looked around', 'waited', 'looked around'],
  ],
])('a draft that was looked at, %s', async (_, looks, expected) => {
  expect(await check('/send/d1', looks)).toEqual(expected);
});

test('a draft that nobody looked at leaves as it is', async () => {
  expect(await check('/send/d1', [[{ path: '/change/d1' }]], { held: false })).toEqual([]);
});

test.each<[string, Beside[][], { passThrough?: boolean }, string[]]>([
  [
    'while it is being sent is refused',
    [[{ path: '/other/d1' }, { path: '/send/d1' }]],
    {},
    ['conflict', 'looked around'],
  ],
  ['after it was sent is left to the service', [[{ path: '/send/d1', state: 'sent' }]], {}, ['looked around']],
  ['while another one is changed is made', [[{ path: '/change/d1' }]], {}, ['looked around']],
  ['by a step that made it asks nobody', [[{ path: '/send/d1' }]], { passThrough: false }, []],
])('a change of a draft %s', async (_, looks, how, expected) => {
  expect(await check('/change/d1', looks, how)).toEqual(expected);
});

test('what concerns no draft asks nobody', async () => {
  expect(await check('/read/d1', [[{ path: '/send/d1' }]])).toEqual([]);
});
