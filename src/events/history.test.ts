import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { replayKey, type Store } from '#store';
import type { EventDraft } from './draft.ts';
import { createHistory } from './history.ts';
import type { Settle } from './settle.ts';

const away = new Error('storage is away');
const row = (id: string, more: object) => ({
  ...{ id, key: 'action 1', trigger_id: 'trg_1', outcome: 'fired', delivery: 'live', data: { card: {} } },
  ...more,
});
const replayOf = (id: string) => ({ delivery: 'replay', key: replayKey(id, new Date()) });

/** What an agent is told when the event that these reads begin with is replayed. */
const replaying = async (...reads: (object | undefined | Error)[]) => {
  const told: EventDraft[] = [];
  const queryOf = (table: string) => {
    const answers = {
      executeTakeFirst: async () => {
        if (table === 'triggers') return { id: 'trg_1', account_id: 'acc_1' };
        const read = reads.shift();
        if (read instanceof Error) throw read;
        return read;
      },
      executeTakeFirstOrThrow: async () => row('evt_9', {}),
      execute: async () => [],
    };
    const query: object = new Proxy(answers, { get: (known, name) => Reflect.get(known, name) ?? (() => query) });
    return query;
  };
  const noRows = {
    transformQuery: (node: object) => node,
    compileQuery: () => ({}),
    executeQuery: async () => ({ rows: [] }),
  };
  const db = { selectFrom: queryOf, getExecutor: () => noRows };
  const transaction = () => ({ execute: (work: (tx: typeof db) => Promise<unknown>) => work(db) });
  const store = { of: () => db, system: { transaction } } as unknown as Store;
  const within: Settle['within'] = async (_, settlements) => {
    told.push(...settlements.flatMap(({ drafts }) => drafts));
    return { settled: [], launch: () => {} };
  };
  const settle = { within };
  const history = createHistory({ store, clock: systemClock(), settle } as unknown as Parameters<
    typeof createHistory
  >[0]);
  const failure = await history.replay('ws_1', 'evt_3').then(
    () => undefined,
    (error: unknown) => error,
  );
  return { identities: told.map(({ identity }) => identity), failure };
};

test('a replay of a replay has the identity of what happened', async () => {
  const { identities } = await replaying(
    row('evt_3', replayOf('evt_2')),
    row('evt_2', replayOf('evt_1')),
    row('evt_1', {}),
  );
  expect(identities).toEqual(['action 1']);
});

test('a replay whose event is gone goes by its own key, and nothing starts while storage is away', async () => {
  const replay = row('evt_3', replayOf('evt_2'));
  expect((await replaying(replay, undefined)).identities).toEqual([replay.key]);
  expect(await replaying(replay, away)).toEqual({ identities: [], failure: away });
});
