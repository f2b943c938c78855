import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storableJson } from '#kit';
import { freshDatabase } from '../../test/database.ts';
import { plannedConnection, scansOf } from '../../test/scans-of.ts';
import { type EventDraft, shortened } from './draft.ts';
import { candidateOf, told } from './settling.fixture.ts';
import { type Candidate, eventRow, settleEvents, settleValues, type Written } from './settling.ts';
import {
  aloneValues,
  type Plain,
  plainOf,
  plainValues,
  settleAlone,
  settleFired,
  type WrittenAlone,
  type WrittenPlain,
  writtenPlain,
} from './settling-abreast.ts';

/*
 * An event that is as most are is stored by a shorter statement: one for those that come alone, one for several. Whatever
 * the situation, they leave what the statement for all cases would have left, or nothing at all.
 */

let db: Awaited<ReturnType<typeof freshDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  client = new pg.Client({ connectionString: db.connectionString });
  await client.connect();
  await client.query(`select set_config('app.workspace', '*', false)`);
  await client.query(`
    insert into workspaces values ('wsp_1', 'Home', now());
    insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method, permission_types,
      scopes, credential, created_at)
      values ('acc_1', 'wsp_1', 'board', 'Ada', '{}', 'ada', 'connected', 'key_token', '{}', '{}', 'x', now());
    insert into tools values ('tol_1', 'wsp_1', 'Comment', 3, now(), now());
    insert into agents (id, workspace_id, name, state, version, tool_ids, created_at, updated_at)
      values ('agt_1', 'wsp_1', 'Commenter', 'enabled', 2, '{tol_1}', now(), now());
    insert into triggers (id, workspace_id, agent_id, account_id, type, name, config, state, since, created_at)
      values ('trg_1', 'wsp_1', 'agt_1', 'acc_1', 'board.new_card', 'New cards', '{}', 'enabled', now(), now());
    insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, roster,
      created_at)
      values ('wat_1', 'wsp_1', 'acc_1', 'board', 'board 1', 'token', 'healthy', now(), 5, now());
  `);
});
afterAll(async () => {
  await client.end();
  await db[Symbol.asyncDispose]();
});

type Told = Partial<Record<keyof typeof told | 'account_seen', unknown>>;

const moments = new Set(['intended_at', 'lease_until', 'next_try_at']);
/** Rows without the moments at which they were written, but with whether they have one. */
const left = async () => {
  const rows: Record<string, unknown>[] = [];
  for (const table of ['events', 'runs', 'effects']) {
    const found = await client.query<Record<string, unknown>>(
      `select '${table}' as "table", * from ${table} where id not like '%_9' order by id`,
    );
    rows.push(...found.rows);
  }
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, moments.has(name) ? value !== null : value])),
  );
};

/** What a statement does in a situation, which is gone afterwards. */
const inSituation = async <Answer>(situation: string, change: Told, act: (event: string) => Promise<Answer>) => {
  await client.query('begin');
  try {
    const { rows } = await client.query<{ xmin: string }>(`select xmin::text from accounts where id = 'acc_1'`);
    await client.query(situation);
    const before = await left();
    const answer = await act(JSON.stringify({ ...told, account_seen: rows[0]?.xmin, ...change }));
    return { before, answer, after: await left() };
  } finally {
    await client.query('rollback');
  }
};

const terms = { taker: 'me', seconds: 60 };

const plain = (event: string) => plainOf([candidateOf(event)], 1)[0] as Plain;

const aloneOn = async (connection: pg.Client, event: string): Promise<WrittenAlone | undefined> =>
  (await connection.query<WrittenAlone>(settleAlone.text, aloneValues(plain(event), terms))).rows[0];
const alone = (event: string) => aloneOn(client, event);
/** Together with a neighbour in another lane, of which nothing is said further. */
const abreast = async (event: string): Promise<WrittenAlone> => {
  const own = { id: 'evt_9', run_id: 'run_9', effect_id: 'eff_9', key: 'card 9', lane: 'trg_1 card 9', traces: [] };
  const two = [plain(event), plain(JSON.stringify({ ...JSON.parse(event), ...own }))];
  const { rows } = await client.query<WrittenPlain>(settleFired.text, plainValues(two, terms));
  const answer = rows.find(({ id }) => id === 'evt_2');
  return { stored: answer !== undefined, taken: answer?.taken ?? false, intended_at: answer?.intended_at as Date };
};
const amongWith = (room: number) => async (event: string) =>
  (await client.query<Written>(settleEvents.text, [`[${event}]`, 'me', room, 60, 1_000, 8, 60_000])).rows[0];
const among = async (event: string) => amongWith(1)(storableJson(event));

const anEvent = (outcome: string, rest = '') => `insert into events (id, workspace_id, trigger_id, watch_id, key,
  upstream_id, outcome, retry, occurred_at, received_at, delivery, upstream_order, summary)
  values ('evt_1', 'wsp_1', 'trg_1', 'wat_1', 'card 2', 'act_2', '${outcome}', ${outcome === 'failed' ? "'retrying'" : 'null'},
  now(), now(), 'live', '2', 'A card'); ${rest}`;
const aRun = (status: string, lane = 'trg_1 card') => `insert into runs (id, workspace_id, status, started_by, input,
  may_send, attempts, created_at, lane, lane_order)
  values ('run_1', 'wsp_1', '${status}', '{}', '{}', true, 1, '2026-11-15T09:00:00Z', '${lane}', '1')`;
const aWrite = (
  upstreamId: string | null,
  at: string,
  state = 'sent',
) => `insert into effects (id, workspace_id, run_id,
  ordinal, account_id, effect, method, path, request, digest, state, intended_at, upstream_id)
  values ('eff_1', 'wsp_1', 'run_1', 1, 'acc_1', 'write', 'POST', '/1/cards', '{}', '\\x02', '${state}', '${at}',
  ${upstreamId === null ? 'null' : `'${upstreamId}'`})`;

const ways = { 'that comes alone': alone, 'among several': abreast };

describe.each(Object.entries(ways))('an event %s', (_way, short) => {
  test.each<[string, string, Told]>([
    ['nothing speaks against it', 'select', {}],
    ['it belongs to no lane', 'select', { lane: null }],
    ['it names nothing of the service', 'select', { traces: [] }],
    ['its lane is busy', aRun('running'), {}],
    ['somebody waits in its lane', aRun('waiting_approval'), {}],
    ['another is next in its lane', aRun('queued'), {}],
    ['what was in its lane has ended', aRun('succeeded'), {}],
    ['another lane is busy', aRun('running', 'trg_1 another'), {}],
    ['a write of ours was about it long ago', aWrite('act_2', '2026-11-15T09:49:00Z'), {}],
    ['a write of ours was about it only later', aWrite('act_2', '2026-11-15T10:01:30Z'), {}],
    ['a write of ours was about something else', aWrite('act_3', '2026-11-15T10:00:00Z'), {}],
  ])('is stored as by the statement for all cases: %s', async (_, situation, change) => {
    const [lonely, sociable] = [
      await inSituation(situation, change, short),
      await inSituation(situation, change, among),
    ];
    expect(lonely.after).toEqual(sociable.after);
    expect(lonely.after.length).toBeGreaterThan(lonely.before.length);
    const taken = sociable.answer?.taken;
    expect(lonely.answer).toMatchObject({ stored: true, taken });
    const { event_id, run_id, version, ready } = sociable.answer ?? {};
    expect([event_id, run_id, version, ready]).toEqual(['evt_2', 'run_2', 3, taken]);
    const row = JSON.stringify({ ...told, account_seen: '1', ...change });
    const words = writtenPlain(plain(row), lonely.answer as WrittenAlone);
    expect({ ...words, intended_at: words.intended_at !== null }).toEqual({ ...sociable.answer, intended_at: taken });
  });

  test.each<[string, string, Told]>([
    ['it was judged before', anEvent('fired'), {}],
    ['judging it failed before', anEvent('failed'), {}],
    ['the watch has other triggers now', 'update watches set roster = 6', {}],
    ['the watch is gone', 'delete from watches', {}],
    ['the account has changed', `update accounts set name = 'Eve'`, {}],
    ['the agent has changed', 'update agents set version = 3', {}],
    ['the agent was paused', `update agents set state = 'paused'`, {}],
    ['the agent is gone, and its triggers with it', 'delete from agents', {}],
    ['the tool has changed', 'update tools set version = 4', {}],
    ['the workspace was stopped', 'update workspaces set stopped_at = now()', {}],
    ['a write of ours caused it', aWrite('card_2', '2026-11-15T09:59:00Z'), {}],
  ])('is left to the statement for all cases: %s', async (_, situation, change) => {
    const { before, answer, after } = await inSituation(situation, change, short);
    expect(answer).toMatchObject({ stored: false });
    expect(after).toEqual(before);
  });
});

const now = JSON.stringify({ ...told, account_seen: '1' });
const unlike = (change: (candidate: Candidate) => unknown): Candidate => {
  const candidate = candidateOf(now);
  change(candidate);
  return candidate;
};

test.each<[string, Candidate]>([
  ['a write of ours may have caused it', candidateOf(JSON.stringify({ ...told, suspect: true }))],
  ['it was not judged by what was remembered', unlike((each) => delete each.guess)],
  ['it starts nothing', unlike((each) => Object.assign(each, { run: undefined }))],
  ['its run was not carried out in advance', unlike((each) => delete each.prepared)],
  ['its run has not got as far as a write', unlike((each) => Object.assign(each.prepared ?? {}, { first: undefined }))],
  ['its run is one of a model', unlike((each) => Object.assign(each.run ?? {}, { tool_id: null }))],
  ['it names what would be taken apart', candidateOf(JSON.stringify({ ...told, upstream_id: 'act\x1f2' }))],
  ['a trace of it would be taken apart', candidateOf(JSON.stringify({ ...told, traces: ['act\x1d2'] }))],
])('an event is not told to the short statements: %s', (_, candidate) => {
  expect(plainOf([candidateOf(now)], 1)).toHaveLength(1);
  expect(plainOf([candidate], 1)).toEqual([]);
});

test('of those that come together as many are told as there is room for, and of a lane the first', () => {
  const [first, second] = [candidateOf(now), candidateOf(now)];
  const [elsewhere, free] = ['trg_1 other', null].map((lane) => candidateOf(JSON.stringify({ ...told, lane })));
  const all = [first, second, elsewhere, free, free] as Candidate[];
  expect(plainOf(all, 9)).toEqual([first, elsewhere, free, free]);
  expect(plainOf(all, 2)).toEqual([first, elsewhere]);
  expect(plainOf(all, 0)).toEqual([]);
});

test('of a lane the first by its own order goes first, in whichever order they came, also where it is none of the plain ones', () => {
  const inOrder = (order: string, more: object = {}) =>
    candidateOf(JSON.stringify({ ...told, upstream_order: order, ...more }));
  const [late, early, odd] = [inOrder('3'), inOrder('2'), inOrder('1', { upstream_id: 'act\x1f2' })] as Candidate[];
  expect(plainOf([late, early] as Candidate[], 9)).toEqual([early]);
  expect(plainOf([late, odd, early] as Candidate[], 9)).toEqual([]);
});

test('what is empty, missing or odd is stored as it is, alone and among several', async () => {
  const odd = {
    ...{ subject: '', upstream_order: '', summary: 'a “b” \\ {c, d}', lane: null, traces: [], actor: null },
    ...{ data: { text: 'line\nline\u001f\u001e\u0000 "q" \\' }, occurrence: null, path: '/1/cards/ä%20,{}"/x' },
  };
  const [lonely, sociable, several] = [
    await inSituation('select', odd, alone),
    await inSituation('select', odd, among),
    await inSituation('select', odd, abreast),
  ];
  expect(lonely.after).toEqual(sociable.after);
  expect(several.after).toEqual(sociable.after);
  expect(sociable.after).toMatchObject([
    { subject: '', data: { text: 'line\nline\u001f\u001e\ufffd "q" \\' } },
    {},
    {},
  ]);
});

test.each<[string, string, Told]>([
  ['the agent has changed', 'update agents set version = 3', {}],
  ['the agent was paused', `update agents set state = 'paused'`, {}],
  ['the agent is gone, and its triggers with it', 'delete from agents', {}],
  ['the account has changed', `update accounts set name = 'Eve'`, {}],
  ['a write of ours caused it', aWrite('card_2', '2026-11-15T09:59:00Z'), {}],
  ['a write of ours under way may have caused it', aWrite(null, '2026-11-15T09:59:00Z', 'intended'), { suspect: true }],
])('an event among others is judged again: %s', async (_, situation, change) => {
  const { before, answer, after } = await inSituation(situation, change, among);
  expect(answer).toMatchObject({ place: 0, event_id: null });
  expect(after).toEqual(before);
});

test.each<[string, string]>([
  ['there is none', 'select'],
  ['it never left', aWrite(null, '2026-11-15T09:59:00Z', 'not_sent')],
  ['it was long before', aWrite(null, '2026-11-15T09:49:00Z', 'intended')],
  ['the service has named it, as another', aWrite('act_3', '2026-11-15T09:59:00Z')],
])('an event that a write of ours may have caused is stored: %s', async (_, situation) => {
  const { answer } = await inSituation(situation, { suspect: true }, among);
  expect(answer).toMatchObject({ place: null, event_id: 'evt_2', run_id: 'run_2' });
});

test('a run for which there is no room is looked for again, should its job be lost, and has written nothing yet', async () => {
  const { answer, after } = await inSituation('select', {}, amongWith(0));
  expect(answer).toMatchObject({ run_id: 'run_2', taken: false, ready: true, intended_at: null });
  expect(after).toMatchObject([
    { table: 'events', run_id: 'run_2' },
    { table: 'runs', status: 'queued', attempts: 0, lease_owner: null, lease_until: true },
  ]);
});

test('what could not be judged at first keeps its id, and its run writes nothing that was prepared for another', async () => {
  const { answer, after } = await inSituation(anEvent('failed'), {}, among);
  expect(answer).toMatchObject({ event_id: 'evt_1', run_id: 'run_2', taken: true, intended_at: null });
  expect(after).toMatchObject([
    { table: 'events', id: 'evt_1', outcome: 'fired', retry: null, run_id: 'run_2' },
    { table: 'runs', id: 'run_2', event_id: 'evt_1', status: 'running' },
  ]);
});

test('of a trigger that was deleted meanwhile nothing more is stored', async () => {
  const { before, answer, after } = await inSituation('delete from triggers', { account_seen: null }, among);
  expect(answer).toBeUndefined();
  expect(after).toEqual(before);
});

const failed = { account_seen: null, outcome: 'failed', reason: 'no answer', run_id: null, summary: 'Later words' };
test.each<[string, string, Told, object]>([
  ['after the usual time at first', 'select', failed, { seconds: 1, retry: 'retrying' }],
  ['not before the service wants it', 'select', { ...failed, wait_ms: 5_000 }, { seconds: 5, retry: 'retrying' }],
  ['later each time', anEvent('failed', 'update events set attempts = 3'), failed, { seconds: 8, retry: 'retrying' }],
  [
    'within the longest',
    anEvent('failed', 'update events set attempts = 6'),
    failed,
    { seconds: 60, retry: 'retrying' },
  ],
  ['but not for ever', anEvent('failed', 'update events set attempts = 7'), failed, { seconds: null, retry: 'dead' }],
])(
  'what could not be judged is tried again %s, and told as it was seen last',
  async (_, situation, change, expected) => {
    const { answer } = await inSituation(situation, change, async (event) => {
      await among(event);
      const { rows } = await client.query(`select retry, reason, summary,
      round(extract(epoch from next_try_at - clock_timestamp()) + 0.4)::integer as seconds from events`);
      return rows;
    });
    expect(answer).toEqual([{ reason: 'no answer', summary: 'Later words', ...expected }]);
  },
);

test('an event whose words were cut within a character is stored, and keeps nothing back that is stored with it', async () => {
  const cut = `${'a'.repeat(298)}\ud83d`;
  expect(shortened(`${'a'.repeat(298)}😀 and more`)).toBe(`${'a'.repeat(298)}\ufffd…`);
  const draft: EventDraft = {
    ...{
      trigger: { id: 'trg_1', name: '', workspaceId: 'wsp_1', agentId: 'agt_1', type: 'board.new_card' },
      watchId: 'wat_1',
    },
    ...{
      account: { id: 'acc_1', name: 'Ada', endUserId: null },
      key: 'card 3',
      upstreamId: 'act_3',
      order: '3',
      actor: null,
    },
    ...{
      occurredAt: new Date(),
      receivedAt: new Date(),
      delivery: 'live',
      subject: null,
      data: { name: cut },
      occurrence: null,
    },
    ...{ outcome: { outcome: 'skipped', reason: cut }, summary: cut },
  };
  const values = settleValues(
    [{ event: eventRow(draft, new Date()), run: undefined }],
    { taker: 'me', room: 1, seconds: 60 },
    { retryMs: 1_000, most: 8, longestWaitMs: 60_000 },
  );
  await client.query(settleEvents.text, values);
  const { rows } = await client.query("delete from events where key = 'card 3' returning summary, reason");
  expect(rows).toEqual([{ summary: cut.toWellFormed(), reason: cut.toWellFormed() }]);
});

test('of two of one lane that come alone to two processes at once, one waits for the other', async () => {
  const other = new pg.Client({ connectionString: db.connectionString });
  await other.connect();
  await other.query(`select set_config('app.workspace', '*', false)`);
  const { rows } = await client.query<{ xmin: string }>(`select xmin::text from accounts where id = 'acc_1'`);
  const event = (n: number) => {
    const own = { id: `evt_${n}`, run_id: `run_${n}`, effect_id: `eff_${n}`, key: `card ${n}`, traces: [] };
    return JSON.stringify({ ...told, ...own, account_seen: rows[0]?.xmin });
  };
  await client.query('begin');
  expect(await alone(event(8))).toMatchObject({ stored: true, taken: true });
  const second = aloneOn(other, event(7));
  // Time enough to be done, for one that does not wait.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await client.query('commit');
  expect(await second).toMatchObject({ stored: true, taken: false });
  await other.end();
});

test('while little is stored, an event goes through nothing but what may have caused it, and its lane', async () => {
  const usual = client;
  // Named after they were intended, as writes are: their indexes grow as they do in earnest.
  const many = (
    rows: number,
  ) => `insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path,
      request, digest, state, intended_at)
    select 'eff_' || n, 'wsp_1', 'run_' || n, 1, 'acc_1', 'write', 'POST', '/1/cards', '{}', '\\x02', 'intended', now()
      from generate_series(10, ${9 + rows}) n;
    update effects set state = 'sent', upstream_id = 'act_' || id;
    insert into runs (id, workspace_id, status, started_by, input, may_send, attempts, created_at, lane, lane_order)
    select 'run_' || n, 'wsp_1', case when n % 2 = 0 then 'queued' else 'succeeded' end, '{}', '{}', true, 0, now(),
      'trg_1 ' || n, '1' from generate_series(10, ${9 + rows}) n`;
  const looked = async (rows: number, table: string, way: typeof alone) => {
    // Whose plans are made by what is stored now.
    client = await plannedConnection(db.connectionString);
    const { answer } = await inSituation(many(rows), {}, (event) => scansOf(client, table, () => way(event)));
    await client.end();
    return answer.map(({ name }) => name);
  };
  try {
    for (const rows of [20, 120, 420, 1_400])
      for (const way of [alone, abreast])
        for (const [table, index] of Object.entries({ effects: 'effects_made', runs: 'runs_lane' }))
          expect(await looked(rows, table, way), `${rows} rows`).toEqual([index]);
  } finally {
    client = usual;
  }
});

test('what a write of ours may have caused is looked for among the writes that the service has named nothing for', async () => {
  const many = `insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest,
      state, intended_at, upstream_id)
    select 'eff_' || n, 'wsp_1', 'run_' || n, 1, 'acc_1', 'write', 'POST', '/1/cards', '{}', '\\x02', state, now(),
      case state when 'sent' then 'act_' || n end
    from generate_series(1000, 5000) n, lateral (select case n % 100 when 0 then 'intended' else 'sent' end as state) s;
    analyze effects`;
  const { answer } = await inSituation(many, { suspect: true, occurred_at: new Date().toISOString() }, (event) =>
    scansOf(client, 'effects', () => among(event)),
  );
  expect(answer.map(({ name }) => name)).toContain('effects_unnamed');
  // In the words of own.ts.
  const { answer: plan } = await inSituation(many, {}, async () => {
    const { rows } = await client.query<Record<string, string>>(`explain select from effects where upstream_id is null
      and state <> 'not_sent' and intended_at > now() - interval '10 min' and (workspace_id, account_id) in
      (select * from unnest(array['wsp_1'], array['acc_1']))`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('effects_unnamed');
});
