import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { type Answer, type Workbench, workbench } from '#test';

// Each change once on a group of runs; `TAMPERED=1000 npx vitest run` on this file tries as many.
const count = Number(process.env['TAMPERED'] ?? 24);
const atOnce = 24;

let bench: Workbench;
let accountId: string;
let store: Store;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  accountId = await bench.connectMail();
  store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
});
afterAll(async () => {
  await store.close();
  await bench[Symbol.asyncDispose]();
});

type Input = Record<string, unknown>;
const given = (n: number): Input => ({
  to: ['ben@sandbox.test'],
  cc: ['cy@sandbox.test'],
  subject: `Offer ${n}`,
  body: 'Forty desks for 4,000 EUR.',
  importance: 'normal',
});

/** Each differs from what was approved in one field. */
const changes: readonly ((input: Input, n: number) => Input)[] = [
  (input, n) => ({ ...input, to: [`thief${n}@evil.example`] }),
  (input) => ({ ...input, to: ['ben@sandbox.test', 'eve@sandbox.test'] }),
  (input) => ({ ...input, to: ['Ben@sandbox.test.evil.example'] }),
  (input, n) => ({ ...input, cc: [`other${n}@sandbox.test`] }),
  (input) => ({ ...input, cc: [] }),
  (input) => ({ ...input, bcc: ['eve@sandbox.test'] }),
  (input) => ({ ...input, replyTo: ['eve@sandbox.test'] }),
  (input) => ({ ...input, subject: `${String(input['subject'])} now` }),
  (input, n) => ({ ...input, body: `Forty desks for ${n} EUR.` }),
  (input) => ({ ...input, body: 'Forty desks for 4,000 EUR' }),
  (input) => ({ ...input, bodyFormat: 'html' }),
  (input) => ({ ...input, importance: 'high' }),
];

const slowly = async <T>(work: () => Promise<Answer>, read: (answer: Answer) => T): Promise<T> => {
  for (;;) {
    const answer = await work();
    if (answer.status !== 429) return read(answer);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

test('what is changed after its approval does not leave, whichever field it is', async () => {
  for (let from = 0; from < count; from += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => from + at);
    const asked = await Promise.all(
      [...numbers, -1 - from].map((n) =>
        slowly(
          () => bench.owned('POST', '/v1/steps/mail.send_email/run', { accountId, input: given(n) }),
          ({ body }) => ({ n, runId: String(body.runId), approval: body.approval as { id: string; digest: string } }),
        ),
      ),
    );
    await bench.owned('POST', '/v1/stop');
    for (const { n, runId, approval } of asked) {
      const path = `/v1/approvals/${approval.id}/approve`;
      const status = await slowly(
        () => bench.owned('POST', path, { digest: approval.digest }),
        (answer) => answer.status,
      );
      expect(status).toBe(200);
      const change = changes[n % changes.length];
      if (n < 0 || change === undefined) continue;
      const input = JSON.stringify(change(given(n), n));
      await sql`update runs set input = ${input}::json where id = ${runId}`.execute(store.system);
      await sql`update approvals set input = ${input}::json where id = ${approval.id}`.execute(store.system);
    }
    await bench.owned('POST', '/v1/resume');
    const ids = asked.map(({ runId }) => runId);
    const open = async () =>
      (
        await sql<{
          n: number;
        }>`select count(*)::int as n from runs where id = any(${ids}) and finished_at is null`.execute(store.system)
      ).rows[0]?.n;
    await expect.poll(open, { timeout: 60_000, interval: 100 }).toBe(0);
  }
  // Of each group, the one that nobody touched left.
  const groups = Math.ceil(count / atOnce);
  expect(
    bench.mail.world.outbox.map(({ subject }) => subject).filter((subject) => !subject.startsWith('Offer -')),
  ).toEqual([]);
  expect(bench.mail.world.outbox).toHaveLength(groups);
}, 600_000);
