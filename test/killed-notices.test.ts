import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { startProcess } from '../prove/harness/processes.ts';
import { call, ownerKey } from '../prove/harness/stage.ts';
import { freshDatabase } from './database.ts';
import { openReceiver, type Reply } from './webhook-receiver.ts';

test('what was committed is delivered under one id, whoever is killed before it is brought or while it is', async () => {
  await using database = await freshDatabase();
  const environment = {
    DATABASE_URL: database.connectionString,
    DATABASE_POOL: '7',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: ownerKey,
    LOG_LEVEL: 'debug',
  };
  // The first time it hangs, until its caller is dead.
  await using receiver = await openReceiver((_, nth) => (nth === 1 ? new Promise<Reply>(() => {}) : { status: 204 }));
  const asking = await startProcess('api', environment);
  const asked = { url: receiver.url, events: ['run.finished'] };
  const { body: webhook } = await call(asking.origin, 'POST', '/v1/webhooks', asked);
  const { body: delivery } = await call(asking.origin, 'POST', `/v1/webhooks/${String(webhook['id'])}/test`);
  await asking.kill();
  expect(receiver.received).toEqual([]);

  const bringing = await startProcess('worker', environment);
  await expect.poll(() => receiver.received.length).toBe(1);
  await bringing.kill();

  const heir = await startProcess('worker', environment);
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2);
  await heir.stop();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids).toEqual([delivery['messageId'], delivery['messageId']]);
  for (const { body, headers } of receiver.received) {
    const verified = new Webhook(String(webhook['secret'])).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'webhook.test', data: { webhookId: webhook['id'] } });
  }
  expect(heir.output()).toMatch(/"status":204,"msg":"a notice was brought"/);
  for (const { output } of [asking, bringing, heir]) expect(output()).not.toContain(String(webhook['secret']));
}, 150_000);
