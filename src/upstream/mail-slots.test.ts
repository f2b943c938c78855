import pg from 'pg';
import { expect, test } from 'vitest';
import { bootstrapKey, workbench } from '#test';

type Request = { path: string; status: number };

/** How many calls to mailboxes were let through. */
const countedBy = async (connectionString: string): Promise<number> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const all = `select sum(passed[cardinality(passed)])::integer as n from paces where bucket like 'mail mailbox %'`;
  const { rows } = await client.query<{ n: number }>(all);
  await client.end();
  return rows[0]?.n ?? 0;
};

test('a mailbox never sees more than four requests at once, parts of batches counted, from two processes, whoever calls it what', async () => {
  await using bench = await workbench({ mail: true });
  const { url } = bench.mail;
  const control = async (path: string, body?: unknown) =>
    (
      await fetch(`${url}/_control/${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
    ).json();
  const [ada, ben] = [await bench.connectMail(), await bench.connectMail('ben@sandbox.test')];
  const urls = ['/users/Ada%40sandbox.test/mailFolders', '/me/mailFolders'];
  const requests = urls.map((url, n) => ({ id: String(n), method: 'GET', url }));
  const calls = [
    [ada, 'list_folders', {}],
    [ada, 'list_folders', { mailbox: 'ADA@sandbox.test' }],
    [ada, 'list_folders', { mailbox: 'a11ce000-0000-4000-8000-000000000001' }],
    // Refused by the service, which counts it all the same. A raw call is told to wait instead of waiting.
    [ben, 'list_folders', { mailbox: 'ada@sandbox.test' }],
    [ben, 'api_call', { method: 'POST', endpoint: '/$batch', body: { requests } }],
  ] as const;
  const second = await bench.startProcess();
  await control('limits', { off: false });
  const statuses = await Promise.all(
    Array.from({ length: 80 }, async (_, n) => {
      const [accountId, step, input] = calls[n % calls.length] ?? [ada, 'list_folders', {}];
      const answer = await fetch(`${n % 2 ? bench.origin : second.origin}/v1/steps/mail.${step}/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ accountId, input }),
      });
      await answer.text();
      return answer.status;
    }),
  );
  expect([...new Set(statuses.filter((_, n) => calls[n % calls.length]?.[1] !== 'api_call'))]).toEqual([200, 403]);
  const { items } = (await control('requests?limit=100000')) as { items: Request[] };
  expect(items.filter(({ path }) => path.startsWith('/v1.0/')).length).toBeGreaterThan(120);
  expect(items.filter(({ status }) => status === 429)).toEqual([]);
  const { peaks } = (await control('limits')) as { peaks: Record<string, number> };
  expect(Math.max(...Object.values(peaks))).toBeLessThanOrEqual(4);

  // Within ten minutes, too.
  const before = await countedBy(bench.connectionString);
  const input = { method: 'POST', endpoint: '/$batch', body: { requests: [...requests, { ...requests[1], id: '2' }] } };
  const { body } = await bench.owned('POST', '/v1/steps/mail.api_call/run', { accountId: ada, input });
  expect([body.output.status, (await countedBy(bench.connectionString)) - before]).toEqual([200, 3]);
}, 60_000);
