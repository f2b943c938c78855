import { once } from 'node:events';
import { connect, createServer, isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '#log';
import { freshDatabase } from '../../test/database.ts';
import { readFigures } from './figures.ts';
import { migrate, whyNotLetIn } from './migrate.ts';
import { calledAt, otherAddresses } from './neighbours.ts';
import type { Sealer } from './sealing.ts';
import { saidBy, storageFault } from './storage-fault.ts';
import { openStore, type Store } from './store.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let store: Store;
const at = new Date();

beforeAll(async () => {
  database = await freshDatabase();
  store = openStore({ connectionString: database.connectionString, max: 3, log: silentLog });
  for (const id of ['ws_a', 'ws_b']) {
    await store
      .of(id)
      .insertInto('workspaces')
      .values({ workspace_id: id, name: id, created_at: at, stopped_at: null })
      .execute();
  }
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

test('what waits for a person, and not for us, counts neither as overdue nor as late nor as piled up; what processes die with is told', async () => {
  const told = async () => {
    const found = await readFigures(store, { hasKeyOf: () => true } as unknown as Sealer);
    const value = (name: string) => found.find((figure) => figure.name === name)?.values;
    return {
      overdue: value('runs_overdue')?.[0]?.value,
      lapsed: value('runs_lapsed')?.[0]?.value,
      waiting: value('arrivals_waiting')?.[0]?.value,
      late: (value('look_delay_seconds')?.[0]?.value ?? -1) > 3_000,
    };
  };
  expect(await told()).toEqual({ overdue: 0, lapsed: 0, waiting: 0, late: false });
  await sql`insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method,
    permission_types, scopes, credential, created_at) values ('acc_b', 'ws_b', 'mail', 'b', '{}', 'b', 'connected', 'oauth2', '{}', '{}', '', now())`.execute(
    store.system,
  );
  await sql`insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, created_at, next_look_at)
    values ('wch_b', 'ws_b', 'acc_b', 'mail', 'me', 't', 'healthy', now(), now(), now() - interval '1 hour')`.execute(
    store.system,
  );
  await sql`insert into arrivals (id, workspace_id, watch_id, key, delivery, received_at)
    values ('arr_b', 'ws_b', 'wch_b', 'k', 'live', now())`.execute(store.system);
  await sql`insert into runs (id, workspace_id, status, started_by, input, may_send, created_at, lease_until)
    values ('run_b', 'ws_b', 'queued', '{}', '{}', true, now(), now() - interval '1 hour')`.execute(store.system);
  expect(await told()).toEqual({ overdue: 1, lapsed: 0, waiting: 1, late: true });
  await sql`update accounts set state = 'needs_reconnect' where id = 'acc_b'`.execute(store.system);
  await sql`update workspaces set stopped_at = now() where workspace_id = 'ws_b'`.execute(store.system);
  await sql`update runs set lapses = 3 where id = 'run_b'`.execute(store.system);
  expect(await told()).toEqual({ overdue: 0, lapsed: 1, waiting: 0, late: false });
  await sql`delete from runs where id = 'run_b'`.execute(store.system);
});

describe('a row that says what cannot be is refused', () => {
  const common = { workspace_id: 'ws_a', attempts: 1, lapses: 0, tries: 0, waited_ms: 0, seated: false };
  const rows = {
    events: {
      ...{ ...common, id: 'evt_1', trigger_id: 'trg_1', key: 'k', upstream_id: 'u', upstream_order: '1', summary: 's' },
      ...{ outcome: 'fired', retry: null, clause: null, delivery: 'live', occurred_at: at, received_at: at },
    },
    runs: { ...common, id: 'run_1', status: 'queued', started_by: {}, input: {}, may_send: true, created_at: at },
    effects: {
      ...{
        ...common,
        id: 'eff_1',
        run_id: 'run_1',
        ordinal: 1,
        account_id: 'acc_1',
        effect: 'send',
        state: 'intended',
      },
      ...{ method: 'POST', path: '/', request: {}, digest: '\\x00', intended_at: at },
    },
  };
  type Table = keyof typeof rows;
  /** Undone again. */
  const insert = (table: Table, wrong: Record<string, unknown>) =>
    store
      .of('ws_a')
      .transaction()
      .execute(async (tx) => {
        const told = JSON.stringify({ ...rows[table], ...wrong });
        await sql`insert into ${sql.table(table)} select * from json_populate_record(null::${sql.table(table)}, ${told})`.execute(
          tx,
        );
        throw new Error('stored');
      });

  test.each<[Table, Record<string, unknown>]>([
    ['events', {}],
    ['events', { outcome: 'failed', retry: 'dead' }],
    ['events', { outcome: 'filtered', clause: 'from:ada' }],
    ['runs', {}],
    ['effects', {}],
  ])('%s with %j is not', (table, right) => expect(insert(table, right)).rejects.toThrow('stored'));

  test.each<[Table, Record<string, unknown>]>([
    ['events', { outcome: 'lost' }],
    ['events', { outcome: 'failed' }],
    ['events', { outcome: 'failed', retry: 'maybe' }],
    ['events', { retry: 'dead' }],
    ['events', { outcome: 'filtered' }],
    ['events', { clause: 'from:ada' }],
    ['events', { delivery: 'by hand' }],
    ['runs', { status: 'lost' }],
    ['effects', { effect: 'read' }],
    ['effects', { state: 'lost' }],
  ])('%s with %j is', (table, wrong) => expect(insert(table, wrong)).rejects.toThrow(/violates check constraint/));
});

describe('row-level security, when a query forgets its workspace', () => {
  test('one workspace does not see another', async () => {
    const rows = await store.of('ws_a').selectFrom('workspaces').select('workspace_id').execute();
    expect(rows).toEqual([{ workspace_id: 'ws_a' }]);
  });

  test('one workspace cannot write into another', async () => {
    const row = { workspace_id: 'ws_b', name: 'x', full_at: at };
    await expect(store.of('ws_a').insertInto('budgets').values(row).execute()).rejects.toThrow(/row-level security/);
    const { numUpdatedRows } = await store
      .of('ws_a')
      .updateTable('workspaces')
      .set({ name: 'mine' })
      .where('workspace_id', '=', 'ws_b')
      .executeTakeFirstOrThrow();
    expect(numUpdatedRows).toBe(0n);
  });

  test('people are hidden from every workspace', async () => {
    const person = { id: 'per_1', email: 'a@b.test', name: 'A', password_hash: null, created_at: at };
    await store.system.insertInto('people').values(person).execute();
    expect(await store.of('ws_a').selectFrom('people').selectAll().execute()).toEqual([]);
  });

  test('connections passed from one workspace to the next never keep the last one in view', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? 'ws_a' : 'ws_b'));
    const seen = await Promise.all(
      ids.map(async (id) =>
        (await store.of(id).selectFrom('workspaces').select('workspace_id').execute()).map((row) => row.workspace_id),
      ),
    );
    expect(seen).toEqual(ids.map((id) => [id]));
  });

  test('a rolled-back transaction leaves the view as it was', async () => {
    const failing = store
      .of('ws_a')
      .transaction()
      .execute(async () => {
        throw new Error('no');
      });
    await expect(failing).rejects.toThrow('no');
    expect(await store.of('ws_a').selectFrom('workspaces').select('workspace_id').execute()).toHaveLength(1);
  });

  test('every table is behind the wall', async () => {
    const { rows } = await sql<{ relname: string }>`
      select relname from pg_class join pg_namespace n on n.oid = relnamespace
      where nspname = 'public' and relkind = 'r' and not (relrowsecurity and relforcerowsecurity)
        and relname not like 'kysely_%'`.execute(store.system);
    expect(rows).toEqual([]);
  });

  test('the whole house cannot be taken for a workspace', () => {
    expect(() => store.of('*')).toThrow();
  });
});

test('several processes may migrate an empty database at once, wait for no table for long, and begin on one of the next version', async () => {
  await using empty = await freshDatabase();
  const bare = new pg.Client({ connectionString: empty.connectionString });
  await bare.connect();
  await bare.query('drop schema public cascade; create schema public');
  // Somebody holds what the first of them changes, as a backup does that takes its time.
  await bare.query('begin; create table workspaces ()');
  let held = 0;
  const waiting = { told: () => held++, lockMs: 50, againMs: 20 };
  const migrating = Promise.all([1, 2, 3].map(() => migrate(empty.connectionString, waiting)));
  await expect.poll(() => held).toBeGreaterThan(0);
  await bare.query('rollback');
  await bare.end();
  const all = await migrating;
  expect(all.map(({ done }) => done.length > 0).toSorted()).toEqual([false, false, true]);
  const again = openStore({ connectionString: empty.connectionString, max: 1, log: silentLog });
  // A newer version has been started elsewhere: this one may still begin.
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', 'now')`.execute(again.system);
  const later = { done: [], newer: ['9999-later'] };
  expect(await migrate(empty.connectionString)).toEqual(later);
  // The same, when it is started while this one waits for its turn.
  const turn = new pg.Client({ connectionString: empty.connectionString });
  await turn.connect();
  await turn.query(`create table done_later as select * from kysely_migration where name >= '0044';
    delete from kysely_migration where name >= '0044'; select pg_advisory_lock(3853314791062309107)`);
  const late = migrate(empty.connectionString);
  const waitsForTurn = `select from pg_locks join pg_database d on d.oid = database
    where locktype = 'advisory' and not granted and datname = current_database()`;
  await expect.poll(async () => (await turn.query(waitsForTurn)).rowCount).toBe(1);
  await turn.query('insert into kysely_migration select * from done_later; drop table done_later');
  await turn.end();
  expect(await late).toEqual(later);
  await again.close();
});

test('members from before a workspace had names of its own for them keep theirs', async () => {
  await using earlier = await freshDatabase();
  const before = new pg.Client({ connectionString: earlier.connectionString });
  await before.connect();
  await before.query(`set app.workspace = '*'; alter table members drop column name;
    delete from kysely_migration where name >= '0049';
    insert into people (id, email, name, created_at) values ('per_1', 'ada@sandbox.test', 'Ada Marsh', now());
    insert into workspaces (workspace_id, name, created_at) values ('ws_1', 'One', now());
    insert into members (workspace_id, person_id, role, created_at) values ('ws_1', 'per_1', 'owner', now())`);

  await migrate(earlier.connectionString);

  const { rows } = await before.query('select name from members');
  await before.end();
  expect(rows).toEqual([{ name: 'Ada Marsh' }]);
});

test('accounts, watches and triggers from early on are known for what they were granted, for needless, and for all boards', async () => {
  await using earlier = await freshDatabase();
  const before = new pg.Client({ connectionString: earlier.connectionString });
  await before.connect();
  await before.query(`set app.workspace = '*'; delete from kysely_migration where name >= '0050';
    insert into workspaces (workspace_id, name, created_at) values ('ws_1', 'One', now());
    insert into accounts (id, workspace_id, integration, name, identity_id, identity, state, auth_method, permission_types,
      scopes, credential, created_at) values ('acc_1', 'ws_1', 'mail', 'Ada', 'ada', '{}', 'connected', 'oauth2',
      '{standard,shared_mailboxes}', '{}', 'sealed', now());
    insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, created_at)
      values ('wat_1', 'ws_1', 'acc_1', 'mail', 'inbox', 'token', 'healthy', now(), now());
    insert into agents (id, workspace_id, name, state, version, tool_ids, created_at, updated_at)
      values ('agt_1', 'ws_1', 'Agent', 'enabled', 1, '{}', now(), now());
    insert into triggers (id, workspace_id, agent_id, account_id, type, name, config, state, since, created_at)
      select id, 'ws_1', 'agt_1', 'acc_1', type, '', config::json, 'enabled', now(), now() from (values
        ('trg_1', 'board.new_card', '{"boards":[]}'), ('trg_2', 'board.new_board', '{"workspaces":[]}'),
        ('trg_3', 'board.new_card', '{"boards":["1"]}'), ('trg_4', 'board.card_due_reminder', '{"boards":[]}'),
        ('trg_5', 'mail.new_email', '{}')) as t (id, type, config)`);

  await migrate(earlier.connectionString);

  const { rows } = await before.query(`select granted_ever, needless,
    array(select id from triggers where resync_at > now() order by id) as ask from accounts, watches`);
  await before.end();
  expect(rows).toEqual([{ granted_ever: ['standard', 'shared_mailboxes'], needless: true, ask: ['trg_1', 'trg_2'] }]);
});

test.each([5, 6, 7, 10, 18])(
  'of %i connections no more and no fewer are opened, however much is asked for',
  async (max) => {
    const named = new URL(database.connectionString);
    named.searchParams.set('application_name', `of ${max}`);
    const many = openStore({ connectionString: named.href, max, log: silentLog });
    const nap = { name: 'nap', text: 'select pg_sleep(0.1)' };
    const asked = Array.from({ length: 12 }, () => [
      sql`select pg_sleep(0.1)`.execute(many.system),
      sql`select pg_sleep(0.1)`.execute(many.of('ws_a')),
      many.planned(nap, []),
    ]);
    let most = 0;
    const look = async () => {
      const { rows } = await sql<{ n: number }>`select count(*)::integer as n from pg_stat_activity
      where application_name = ${`of ${max}`} and datname = current_database()`.execute(store.system);
      most = Math.max(most, rows[0]?.n ?? 0);
    };
    const ended = Promise.all(asked.flat()).then(() => true);
    while (!(await Promise.race([ended, look()]))) await sleep(20);
    await look();
    await many.close();
    expect(most).toBe(max);
    const { rows } = await sql`select current_setting('application_name') as name`.execute(store.system);
    expect(rows).toEqual([{ name: 'switchboard' }]);
  },
);

test('processes on one database see each other by their addresses, and only those that differ are told', async () => {
  const [here, there] = ['https://a.example', `https://${'b'.repeat(60)}.example`];
  const [one, same, other] = [here, here, there].map((address) =>
    openStore({ connectionString: database.connectionString, max: 5, log: silentLog, name: calledAt(address) }),
  ) as [Store, Store, Store];
  await Promise.all([one.ping(), same.ping(), store.ping()]);
  expect(await otherAddresses(one, here)).toEqual([]);
  await other.ping();
  expect(await otherAddresses(one, here)).toEqual([there.slice(0, 48)]);
  expect(await otherAddresses(other, there)).toEqual([here]);
  await Promise.all([one, same, other].map((each) => each.close()));
});

describe('a database that takes no writes', () => {
  test('is told apart from one that works as usual: one whose disk is full, and one that only reads', async () => {
    expect(await store.ping()).toBe('ready');
    const full = openStore({ connectionString: database.connectionString, max: 5, log: silentLog });
    await sql`do $$ begin raise exception 'no space left' using errcode = 'disk_full'; end $$`
      .execute(full.of('ws_a'))
      .catch(() => {});
    expect(await full.ping()).toBe('full');
    await full.close();

    const replica = new URL(database.connectionString);
    replica.searchParams.set('options', '-c default_transaction_read_only=on');
    const reading = openStore({ connectionString: replica.href, max: 5, log: silentLog });
    expect(await reading.ping()).toBe('only reads');
    await reading.close();
  });
});

describe('storage away', () => {
  test('is told apart from a query that was wrong', async () => {
    const wrong = await sql`select nonsense`.execute(store.system).catch((error: unknown) => error);
    expect(storageFault(wrong)).toBeUndefined();
    const nowhere = openStore({ connectionString: 'postgres://x:y@127.0.0.1:1/none', max: 1, log: silentLog });
    const away = await nowhere.ping().catch((error: unknown) => error);
    expect(storageFault(away)?.code).toBe('unavailable');
    await nowhere.close();
    // A name with two addresses, neither of which lets us in.
    const twice = await new Promise((resolve) => {
      const addresses = ['127.0.0.1', '::1'].map((address) => ({ address, family: isIP(address) }));
      const lookup: LookupFunction = (_host, _options, found) => found(null, addresses);
      connect({ host: 'database.test', port: 1, lookup }).once('error', resolve);
    });
    expect(twice).toBeInstanceOf(AggregateError);
    expect(storageFault(twice)).toMatchObject({ code: 'unavailable', details: undefined });
    expect(saidBy(twice)).toContain('127.0.0.1:1');
    const untrusted = Object.assign(new Error('unable to verify'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(saidBy(untrusted)).toMatch(/certificate .+ sslrootcert=.+ DATABASE_URL/);
    const told = (code: string) => whyNotLetIn(Object.assign(new pg.DatabaseError('so', 2, 'error'), { code }));
    expect(['53100', '53300', '3D000', '42601'].map(told)).toEqual([
      'its disk is full (so). Make room there, then start again.',
      'so. Raise its max_connections, or lower DATABASE_POOL.',
      'so. Is it running, and is DATABASE_URL right?',
      undefined,
    ]);
    // As the queue's engine tells it.
    expect(saidBy({ message: 'the line was cut', queue: 'runs' })).toBe('the line was cut');
  });

  test('is also a server that takes the connection and says nothing: nobody waits for it for ever', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const connectionString = `postgres://x:y@127.0.0.1:${port}/none`;
    const told = migrate(connectionString, { connectMs: 300 });
    await expect(told).rejects.toThrow(/cannot be used: .+timeout.+ is DATABASE_URL right\?/);
    const impatient = { connectionString, connectionTimeoutMillis: 300 };
    const [pool, client] = [new pg.Pool(impatient), new pg.Client(impatient)];
    // Nothing was asked yet, so nothing is in doubt.
    const refused = (letIn: Promise<unknown>) => letIn.catch((error: unknown) => error);
    for (const error of await Promise.all([pool.query('select'), client.connect()].map(refused))) {
      expect(storageFault(error)).toMatchObject({ code: 'unavailable', details: undefined });
      expect(whyNotLetIn(error)).toContain('is DATABASE_URL right?');
    }
    await pool.end();
    silent.close();
  });

  test('is also a server that only reads, as a replica does that has not become the first one', async () => {
    const reading = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
    const refused = await reading.system
      .transaction()
      .setAccessMode('read only')
      .execute((tx) => sql`update house set restored_at = restored_at`.execute(tx))
      .catch((error: unknown) => error);
    await reading.close();
    expect(storageFault(refused)?.code).toBe('unavailable');
  });

  test.each([
    ['a lost connection', '08006', true],
    ['a password that was changed', '28P01', true],
    ['a full disk', '53100', true],
    ['no memory', '53200', true],
    ['too many connections', '53300', true],
    ['being shut down', '57P01', true],
    ['a crash of another connection', '57P02', true],
    ['starting up', '57P03', true],
    ['a dropped database', '57P04', true],
    ['a session that idled', '57P05', true],
    ['a deadlock that another won, such as a migration', '40P01', true],
    ['a disk that cannot be read', '58030', true],
    ['a row that is there already', '23505', false],
    ['a query that was wrong', '42601', false],
  ])('as far as the database itself says so: %s (%s) is it: %s', async (_, code, isIt) => {
    const saying = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
    const said = await sql
      .raw(`do $$ begin raise exception 'so it is' using errcode = '${code}'; end $$`)
      .execute(saying.of('ws_a'))
      .catch((error: unknown) => error);
    await saying.close();
    // The database answered, so what was asked was surely not done.
    const unavailable = expect.objectContaining({ code: 'unavailable', details: undefined });
    expect(storageFault(said)).toEqual(isIt ? unavailable : undefined);
  });

  test('ends with the connection: the next query works', async () => {
    const [row] = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.system)).rows;
    const killer = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
    await sql`select pg_terminate_backend(${row?.pid})`.execute(killer.system);
    await killer.close();
    const works = () =>
      store.ping().then(
        () => true,
        () => false,
      );
    await expect.poll(works).toBe(true);
  });

  test('is also a database that hangs; what was under way there is not met by whoever asks next', async () => {
    const impatient = openStore({
      connectionString: database.connectionString,
      max: 1,
      log: silentLog,
      deadlineMs: 300,
    });
    const slow = impatient
      .of('ws_a')
      .transaction()
      .execute(async (tx) => {
        await tx.updateTable('workspaces').set({ name: 'half done' }).execute();
        await sql`select pg_sleep(20)`.execute(tx);
      })
      .catch((error: unknown) => error);
    expect(storageFault(await slow)?.code).toBe('unavailable');
    const { rows } = await sql`select name, pg_current_xact_id_if_assigned() as open from workspaces`.execute(
      impatient.of('ws_a'),
    );
    expect(rows).toEqual([{ name: 'ws_a', open: null }]);
    await impatient.close();
  });
});
