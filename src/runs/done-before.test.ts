import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootstrapKey, type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  await bench.connectBoard();
  await bench.connectMail();
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = async (step: string, input: object) => {
  const body = { input, permission: 'autopilot' };
  const headers = { 'idempotency-key': step };
  return (await bench.call('POST', `/v1/steps/${step}/run`, { key: bootstrapKey, headers, body })).body;
};

test('a step that fails after it wrote says what it did, and its key does not do that twice', async () => {
  const { id: cardId } = bench.board.newCard({ list: bench.board.newList() });
  const attachments = [{ url: 'https://example.com/plan' }];
  const input = { cardId, attachments, checklists: [{ name: 'Todo' }] };
  const match = { method: 'POST', path: '/1/checklists' };
  bench.board.control.faults.add({ match, kind: 'status', status: 429, retryAfter: 1, times: 1 });

  for (const attempt of ['first', 'repeated']) {
    const { error } = await run('board.update_card', input);
    expect([attempt, error.code, error.details.retryable]).toEqual([attempt, 'rate_limited', undefined]);
    expect(error.details.done).toEqual([
      { effect: 'write', method: 'POST', path: `/1/cards/${cardId}/attachments`, id: expect.any(String) },
    ]);
    expect(error.message).toContain(`Done before that: POST /1/cards/${cardId}/attachments`);
  }
  const { attachments: there } = await bench.run('board.get_card', { cardId });
  expect(there).toHaveLength(1);
});

test('a step that only changed what is there says so too, and may be asked for again', async () => {
  const { id: cardId } = bench.board.newCard({ list: bench.board.newList() });
  const member = { kind: 'status', status: 429, retryAfter: 1, times: 1 } as const;
  bench.board.control.faults.add({ match: { method: 'POST', path: '/idMembers$' }, ...member });

  const body = { input: { cardId, name: 'Renamed', addMembers: ['me'] }, permission: 'autopilot' };
  const { error } = (await bench.owned('POST', '/v1/steps/board.update_card/run', body)).body;
  expect([error.code, error.details.done]).toEqual(['rate_limited', undefined]);
  expect(error.message).toMatch(new RegExp(`Done before that: PUT /1/cards/${cardId}. The whole again does no harm.$`));
});

test('a mail that the service refuses to send names the draft that is left of it', async () => {
  const match = { method: 'POST', path: '/send$' };
  bench.mail.control.faults.add({ match, kind: 'status', status: 400, times: 1 });

  const { error } = await run('mail.send_email', { to: ['ben@sandbox.test'], subject: 'Left over', body: 'b' });
  expect(error.details.done).toEqual([
    { effect: 'write', method: 'POST', path: '/me/messages', id: expect.any(String) },
  ]);
  const [{ id: draftId }] = error.details.done;
  const { to } = await bench.run('mail.send_draft', { draftId }, 'autopilot');
  expect(to).toEqual(['ben@sandbox.test']);
});
