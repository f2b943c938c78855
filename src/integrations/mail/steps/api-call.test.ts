import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ mail: true });
});
afterAll(() => bench[Symbol.asyncDispose]());

test('a page of messages is answered as the service says it', async () => {
  const answer = await bench.run('mail.api_call', { method: 'GET', endpoint: '/me/messages?$top=2' });

  expect(answer.status).toBe(200);
  expect(answer.data.value).toHaveLength(2);
});
