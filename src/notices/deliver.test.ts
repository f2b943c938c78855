import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { deliverJob } from './deliver.ts';
import type { Waiting } from './emit.ts';

test('a workspace whose receivers are all slow leaves places to the others, and goes on when one of its own is free', async () => {
  const taking: { waiting: Waiting; end: () => void }[] = [];
  const later: (Waiting & { afterMs?: number | undefined })[] = [];
  const job = deliverJob({
    claims: {
      take: (waiting) => new Promise((resolve) => taking.push({ waiting, end: () => resolve([]) })),
      settle: async () => {},
      giveBack: async () => {},
      freeAfterMs: async () => undefined,
    },
    receiver: { post: async () => ({ status: 204, response: '' }), close: async () => {} },
    announce: async (waiting) => void later.push(...waiting),
    clock: systemClock(),
    log: silentLog,
  });
  const context = { signal: new AbortController().signal, attempt: 1, jobId: 'x' };
  const begin = (workspaceId: string, webhookId: string) => job.handle({ workspaceId, webhookId }, context);
  const { concurrency: places = 0 } = job;
  const slow = Array.from({ length: places }, (_, nth) => begin('ws_slow', `wh_${nth}`));

  expect(taking.length).toBeLessThan(places / 2);
  expect(taking.length + later.length).toBe(slow.length);
  expect(later.every(({ afterMs = 0 }) => afterMs > 0)).toBe(true);
  const before = taking.length;
  const other = begin('ws_other', 'wh_other');
  expect(taking[before]?.waiting.workspaceId).toBe('ws_other');

  taking[0]?.end();
  await slow[0];
  const next = begin('ws_slow', 'wh_next');
  expect(taking.at(-1)?.waiting.webhookId).toBe('wh_next');
  for (const { end } of taking) end();
  await Promise.all([...slow, other, next]);
});
