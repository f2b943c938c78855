import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Pool } from 'undici';

type Waiting = { body: string; stored: () => void; lost: (error: unknown) => void };
type Leased = { id: string; body: string };
type Told = { action: { data: { card: { id: string; name: string }; listAfter: { name: string } } } };

const insert = `insert into inbox (body, lease_until) select x, now() + interval '60 s' from unnest($1::text[]) x
  returning id`;
const finish = 'update inbox set done = true where id = any($1::bigint[])';
const runsAtOnce = 128;
const mostAtOnce = 500;

/**
 * The least that keeps the promise: an event is stored and leased in one grouped INSERT, answered, carried out from memory
 * by one call, and marked done by a grouped UPDATE. No signature, no trigger, no record of the call.
 */
export const serveFloor = async (service: string, database: string): Promise<number> => {
  const upstream = new Pool(service, { connections: 32, pipelining: 1 });
  const db = new pg.Pool({ connectionString: database, max: 6 });
  await db.query(`create table if not exists inbox (id bigint generated always as identity primary key,
    body text not null, received_at timestamptz not null default now(), lease_until timestamptz,
    done boolean not null default false)`);
  await db.query('create index if not exists inbox_ready on inbox (id) where not done and lease_until is null');

  let waiting: Waiting[] = [];
  let leased: Leased[] = [];
  let done: string[] = [];
  let inserting = 0;
  let running = 0;
  let finishing = false;

  const act = async (body: string): Promise<void> => {
    const { card, listAfter } = (JSON.parse(body) as Told).action.data;
    const answer = await upstream.request({
      method: 'POST',
      path: `/1/cards/${card.id}/actions/comments`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: `${card.name} moved to ${listAfter.name}.` }),
    });
    await answer.body.dump();
  };

  const markDone = async (): Promise<void> => {
    if (finishing) return;
    finishing = true;
    while (done.length > 0) {
      const ids = done;
      done = [];
      await db.query({ name: 'finish', text: finish, values: [ids] });
    }
    finishing = false;
  };

  const carryOut = async ({ id, body }: Leased): Promise<void> => {
    running += 1;
    await act(body);
    running -= 1;
    done.push(id);
    void markDone();
    runLeased();
  };

  const runLeased = (): void => {
    const now = leased.splice(0, runsAtOnce - running);
    for (const each of now) void carryOut(each);
  };

  const store = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const { rows } = await db.query<{ id: string }>({
        name: 'insert',
        text: insert,
        values: [group.map(({ body }) => body)],
      });
      for (const [at, { stored, body }] of group.entries()) {
        stored();
        leased.push({ id: rows[at]?.id ?? '', body });
      }
      runLeased();
    } catch (error) {
      for (const { lost } of group) lost(error);
    }
  };

  const pump = (): void => {
    while (inserting < 2 && waiting.length > 0) {
      const group = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      inserting += 1;
      void store(group).then(() => {
        inserting -= 1;
        pump();
      });
    }
  };

  const accept = (body: string): Promise<void> =>
    new Promise((stored, lost) => {
      waiting.push({ body, stored, lost });
      if (waiting.length === 1) setImmediate(pump);
    });

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const answer = (status: number) => {
        outgoing.writeHead(status, { 'content-length': 0 });
        outgoing.end();
      };
      accept(Buffer.concat(chunks).toString()).then(
        () => answer(200),
        () => answer(503),
      );
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', 4_096);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
