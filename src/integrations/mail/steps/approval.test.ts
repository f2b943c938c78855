import { expect, test } from 'vitest';
import { workbench } from '#test';

test('without permission to send, not even a draft is written', async () => {
  await using bench = await workbench({ mail: true });
  const accountId = await bench.connectMail();
  const run = (step: string, input: unknown) => bench.owned('POST', `/v1/steps/mail.${step}/run`, { accountId, input });
  const { items } = (await run('find_email', { limit: 1 })).body.output;
  const writes = () =>
    bench.mail.control.log.list().filter(({ method, path }) => method !== 'GET' && path.startsWith('/v1.0/'));

  const answers = [
    await run('send_email', { to: ['ben@sandbox.test'], subject: 'Hello', body: 'Hello' }),
    await run('reply', { messageId: items[0].id, body: 'Thanks' }),
    await run('forward', { messageId: items[0].id, to: ['ben@sandbox.test'] }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(writes()).toEqual([]);

  expect((await run('reply', { messageId: items[0].id, body: 'Later', asDraft: true })).status).toBe(200);
  expect(writes().length).toBeGreaterThan(0);
});
