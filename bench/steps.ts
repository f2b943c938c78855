import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { Agent, Client, request } from 'undici';
import { scratchFolder, startEmbeddedPostgres } from '#store';
import { databaseProcesses, startProcess } from '../prove/harness/processes.ts';
import { noteFigure } from './lib/figures.ts';
import { cpuSeconds, median, memoryMb } from './lib/measure.ts';
import { serveAsRole, startRole } from './lib/roles.ts';

/*
 * The pass-through step beside a bare proxy (Hono as its documentation starts it, one prepared database read, undici) in the
 * same run, against the same upstream and the same PostgreSQL. All our checks are on: key, rate budget, scopes, cage,
 * pacing, run, journal. Both are warmed up by the same number of calls, so that both are compiled. Rounds are short and
 * alternate, and who begins changes, so that whatever else the machine does meets both alike; what counts is the median.
 * The generator's and the upstream's share of the machine is the same on both sides; PostgreSQL's is shown for each. There
 * are enough accounts and keys that neither the service's limits nor the keys' own budgets hold anybody back.
 *
 * What a call takes longer than one made directly is measured apart, on a machine that does nothing else: one call at a time.
 */

const rounds = 9;
const secondsPerRound = 2;
// A server runs for days: both are compiled before anything is measured.
const warmUpCalls = 40_000;
const connections = 32;
const roundsAlone = 5;
const callsAlone = 100;
const pauseMs = 20;
const accounts = 800;
const keys = 120;
const goal = 0.8;
const ownerKey = 'owner-key-of-the-steps-benchmark';
const answer = JSON.stringify({ id: '6ae859bc5a0db0a2c4000009', name: 'Launch', desc: 'x'.repeat(380), closed: false });

/** The service: answers at once, and knows everyone by their token. */
const upstream = async (): Promise<number> => {
  const server = createServer((incoming, outgoing) => {
    const token = /oauth_token="([^"]+)"/.exec(incoming.headers.authorization ?? '')?.[1] ?? 'nobody';
    const me = incoming.url?.startsWith('/1/members/me') ?? false;
    outgoing.setHeader('content-type', 'application/json; charset=utf-8');
    outgoing.end(me ? JSON.stringify({ id: token, username: token, fullName: token }) : answer);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** The least that still does the job: find the credential, make the call, pass the answer on. */
const proxy = async (service: string, database: string): Promise<number> => {
  const pool = new pg.Pool({ connectionString: database, max: 16 });
  // The database ends first.
  pool.on('error', () => {});
  await pool.query('create table if not exists bench_credentials (id text primary key, credential text not null)');
  await pool.query(
    "insert into bench_credentials select 'acc_' || n, 'token' || n from generate_series(1, $1) n on conflict do nothing",
    [accounts],
  );
  const dispatcher = new Agent({ connections: 64 });
  const app = new Hono().post('/run', async (c) => {
    const { accountId, input } = await c.req.json<{ accountId: string; input: { method: 'GET'; endpoint: string } }>();
    const { rows } = await pool.query<{ credential: string }>({
      name: 'credential',
      text: 'select credential from bench_credentials where id = $1',
      values: [accountId],
    });
    const authorization = `OAuth oauth_token="${rows[0]?.credential ?? ''}"`;
    const { statusCode, body } = await request(service + input.endpoint, {
      method: input.method,
      headers: { authorization },
      dispatcher,
    });
    return c.json({ status: statusCode, data: await body.json() });
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const [role, ...given] = process.argv.slice(2);
if (role === 'upstream' || role === 'proxy') {
  const port = role === 'upstream' ? await upstream() : await proxy(given[0] ?? '', given[1] ?? '');
  serveAsRole(port);
} else await main();

type Load = { perSecond: number; cpuMicroseconds: number; databaseMicroseconds: number };
type Target = {
  origin: string;
  path: string;
  pid: number;
  make: (n: number) => { headers: Record<string, string>; body: string };
};

/** By process, of the database on this folder; one that ends meanwhile is left out. */
function databaseSeconds(dataDir: string): Map<number, number> {
  const seconds = new Map<number, number>();
  for (const pid of databaseProcesses(dataDir)) if (existsSync(`/proc/${pid}/stat`)) seconds.set(pid, cpuSeconds(pid));
  return seconds;
}

type Until = { seconds: number } | { calls: number };

async function drive({ origin, path, pid, make }: Target, dataDir: string, until: Until): Promise<Load> {
  const before = { own: cpuSeconds(pid), database: databaseSeconds(dataDir) };
  let done = 0;
  const started = performance.now();
  const over = () => ('calls' in until ? done >= until.calls : performance.now() - started >= until.seconds * 1000);
  await Promise.all(
    Array.from({ length: connections }, async (_, lane) => {
      const client = new Client(origin);
      for (let n = lane; !over(); n += connections) {
        const { headers, body } = make(n);
        const reply = await client.request({ method: 'POST', path, headers, body });
        const text = await reply.body.text();
        if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
        done += 1;
      }
      await client.close();
    }),
  );
  const took = (performance.now() - started) / 1000;
  const database = [...databaseSeconds(dataDir)].reduce(
    (sum, [each, now]) => sum + now - (before.database.get(each) ?? 0),
    0,
  );
  return {
    perSecond: done / took,
    cpuMicroseconds: ((cpuSeconds(pid) - before.own) * 1e6) / done,
    databaseMicroseconds: (database * 1e6) / done,
  };
}

type Asked = Pick<Target, 'origin'> & {
  ask: (n: number) => Parameters<Client['request']>[0];
};

/** The middle of how many milliseconds one call takes that comes alone. */
async function aloneMs({ origin, ask }: Asked): Promise<number> {
  const client = new Client(origin);
  const took: number[] = [];
  for (let n = 0; n < callsAlone; n += 1) {
    const begun = performance.now();
    const reply = await client.request(ask(n));
    const text = await reply.body.text();
    took.push(performance.now() - begun);
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
    await sleep(pauseMs);
  }
  await client.close();
  return median(took);
}

/** How much longer than a direct call each takes, in rounds that alternate. */
async function addedMs(direct: Asked, targets: readonly [Target, Target]): Promise<[plain: number, full: number]> {
  const found: [number, number][] = [];
  for (let round = 0; round < roundsAlone; round += 1) {
    const base = await aloneMs(direct);
    const [plain, full] = targets.map(({ origin, path, make }) => ({
      origin,
      ask: (n: number) => ({ method: 'POST' as const, path, ...make(n) }),
    })) as [Asked, Asked];
    found.push([(await aloneMs(plain)) - base, (await aloneMs(full)) - base]);
  }
  return [median(found.map(([plain]) => plain)), median(found.map(([, full]) => full))];
}

async function main(): Promise<void> {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  await using folder = await scratchFolder();
  const database = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const service = await startRole(import.meta.url, 'upstream');
  const bare = await startRole(import.meta.url, 'proxy', service.origin, database.connectionString);
  const { BENCH_NODE_OPTIONS: nodeOptions } = process.env;
  const ours = await startProcess('start', {
    DATA_DIR: folder.path,
    DATABASE_URL: database.connectionString,
    BOOTSTRAP_API_KEY: ownerKey,
    SANDBOX: 'on',
    SANDBOX_PORT: String(Number(new URL(service.origin).port) - 1),
    LOG_LEVEL: 'warn',
    // For profiles.
    ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }),
  });
  try {
    const call = async (path: string, body: unknown, key: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const reply = await fetch(ours.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!reply.ok) throw new Error(await reply.text());
      return (await reply.json()) as { id: string; key: string };
    };
    const callers: string[] = [];
    for (let n = 0; n < keys; n++)
      callers.push((await call('/v1/api-keys', { name: `bench ${n}`, scopes: ['run', 'connect'] }, ownerKey)).key);
    const ids: string[] = [];
    for (let n = 0; n < accounts; n++) {
      const auth = { type: 'key_token', key: n.toString(16).padStart(32, '0'), token: `token${n}` };
      ids.push((await call('/v1/accounts', { integration: 'board', auth }, callers[n % keys] ?? '')).id);
    }
    const input = { method: 'GET', endpoint: '/1/boards/6ae859bc5a0db0a2c4000009' };
    const body = (accountId: string) => JSON.stringify({ accountId, input });
    const contestant: Target = {
      origin: ours.origin,
      path: '/v1/steps/board.api_call/run',
      pid: ours.child.pid ?? 0,
      make: (n) => ({
        headers: { authorization: `Bearer ${callers[n % keys]}`, 'content-type': 'application/json' },
        body: body(ids[n % accounts] ?? ''),
      }),
    };
    const reference: Target = {
      origin: bare.origin,
      path: '/run',
      pid: bare.pid,
      make: (n) => ({ headers: { 'content-type': 'application/json' }, body: body(`acc_${(n % accounts) + 1}`) }),
    };
    for (const target of [reference, contestant]) await drive(target, folder.path, { calls: warmUpCalls });
    const ratios: number[] = [];
    const costs: number[] = [];
    const all: number[] = [];
    const whole = ({ cpuMicroseconds, databaseMicroseconds }: Load) => cpuMicroseconds + databaseMicroseconds;
    for (let round = 1; round <= rounds; round++) {
      const measure = (target: Target) => drive(target, folder.path, { seconds: secondsPerRound });
      const early = round % 2 === 0 ? await measure(contestant) : undefined;
      const plain = await measure(reference);
      const full = early ?? (await measure(contestant));
      ratios.push(full.perSecond / plain.perSecond);
      costs.push(plain.cpuMicroseconds / full.cpuMicroseconds);
      all.push(whole(plain) / whole(full));
      const shown = ({ perSecond, cpuMicroseconds, databaseMicroseconds }: Load) =>
        `${perSecond.toFixed(0)}/s, CPU ${cpuMicroseconds.toFixed(0)} µs and database ${databaseMicroseconds.toFixed(0)} µs`;
      say(
        `  round ${round}: bare proxy ${shown(plain)}; pass-through ${shown(full)}; ratio ${ratios.at(-1)?.toFixed(2)}`,
      );
    }
    const ratio = median(ratios);
    const memory = memoryMb(contestant.pid);
    say(
      `  median ratio ${ratio.toFixed(2)} (goal ${goal}), worst ${Math.min(...ratios).toFixed(2)}; of CPU ` +
        `${median(costs).toFixed(2)}, with PostgreSQL's ${median(all).toFixed(2)}; memory ${memory} MB`,
    );
    const authorization = 'OAuth oauth_token="token0"';
    const direct: Asked = {
      origin: service.origin,
      ask: () => ({ method: 'GET', path: input.endpoint, headers: { authorization } }),
    };
    const [plainMs, fullMs] = await addedMs(direct, [reference, contestant]);
    say(
      `  added to a direct call that comes alone: bare proxy ${plainMs.toFixed(2)} ms, pass-through ${fullMs.toFixed(2)} ms ` +
        `(${(fullMs / plainMs).toFixed(2)} times)`,
    );
    noteFigure({ what: "added latency to the bare proxy's", value: fullMs / plainMs, unit: 'ratio' });
    noteFigure({ what: 'requests/s of the bare proxy', value: ratio, unit: 'ratio', goal: { least: goal } });
    noteFigure({ what: 'memory after the load', value: memory, unit: 'MB' });
    process.exitCode = ratio >= goal ? 0 : 1;
  } finally {
    await ours.stop();
    bare.stop();
    service.stop();
    await database.stop();
  }
}
