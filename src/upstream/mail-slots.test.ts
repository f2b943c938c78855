import { expect, test } from 'vitest';
import { bootstrapKey, workbench } from '#test';

type Request = { path: string; status: number };

test('a mailbox never sees more than four requests at once, parts of batches counted, from two processes', async () => {
  await using bench = await workbench({ mail: true });
  const { url } = bench.mail;
  const control = async (path: string, body?: unknown) =>
    (
      await fetch(`${url}/_control/${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
    ).json();
  const accountId = await bench.connectMail();
  const second = await bench.startProcess();
  await control('limits', { off: false });
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const answer = await fetch(`${n % 2 ? bench.origin : second.origin}/v1/steps/mail.list_folders/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ accountId, input: {} }),
      });
      await answer.text();
      return answer.status;
    }),
  );
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const { items } = (await control('requests?limit=100000')) as { items: Request[] };
  expect(items.filter(({ path }) => path.startsWith('/v1.0/')).length).toBeGreaterThan(120);
  expect(items.filter(({ status }) => status === 429)).toEqual([]);
  const { peaks } = (await control('limits')) as { peaks: Record<string, number> };
  expect(Math.max(...Object.values(peaks))).toBeLessThanOrEqual(4);
}, 60_000);
