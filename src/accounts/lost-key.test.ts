import { expect, test } from 'vitest';
import { bootstrapKey, callerFor, workbench } from '#test';

test('where the key to its credential is gone an account says so wherever it is looked at, and connecting again mends it', async () => {
  await using bench = await workbench();
  const id = await bench.connectBoard();
  const agent = { name: 'Looks on', instructions: 'Look.', tools: [] };
  const { body: made } = await bench.owned('POST', '/v1/agents', { ...agent, runner: { type: 'model' } });
  const board = bench.board.newBoard();
  const wanted = { agentId: made.id, type: 'board.new_card', accountId: id, config: { boards: [board.id] } };
  const { body: trigger } = await bench.owned('POST', '/v1/triggers', wanted);

  await bench.owned('POST', '/v1/secrets', { integration: 'board', auth: await bench.keyAndToken() });

  const encryptionKey = `2:${Buffer.alloc(32, 7).toString('base64')}`;
  const other = await bench.startProcess('all', { encryptionKey });
  const call = callerFor(other.origin);
  const ask = async (method: string, path: string, body?: unknown) =>
    (await call(method, path, { key: bootstrapKey, body })).body;

  const lost = { id, state: 'needs_reconnect', reason: expect.stringContaining('cannot be opened') };
  expect(await ask('GET', `/v1/accounts/${id}`)).toMatchObject(lost);
  expect((await ask('GET', '/v1/accounts')).items).toMatchObject([lost]);
  expect((await ask('GET', '/v1/accounts?state=needs_reconnect')).items).toMatchObject([lost]);
  expect((await ask('GET', '/v1/accounts?state=connected')).items).toEqual([]);
  expect((await ask('GET', '/v1/overview')).accountsToReconnect).toMatchObject([{ id, reason: lost.reason }]);
  expect((await ask('GET', `/v1/triggers/${trigger.id}/diagnosis`)).cause).toMatchObject({ check: 'account' });
  expect(await ask('POST', `/v1/accounts/${id}/test`)).toMatchObject({ works: false, account: lost });
  // Whoever has the key goes on: nothing was written about it.
  expect((await bench.owned('GET', `/v1/accounts/${id}`)).body.state).toBe('connected');
  expect((await bench.owned('GET', '/v1/overview')).body.accountsToReconnect).toEqual([]);

  // The numbers that operators watch say the same, and a stored secret is none of them.
  const counted = async (origin: string) =>
    (await (await fetch(new URL('/metrics', origin))).text())
      .split('\n')
      .filter((line) => line.startsWith('switchboard_accounts{'));
  expect(await counted(other.origin)).toEqual(['switchboard_accounts{state="needs_reconnect"} 1']);
  expect(await counted(bench.origin)).toEqual(['switchboard_accounts{state="connected"} 1']);

  const auth = await bench.keyAndToken();
  expect(await ask('POST', '/v1/accounts', { integration: 'board', auth })).toMatchObject({ id, state: 'connected' });
  expect((await ask('GET', '/v1/overview')).accountsToReconnect).toEqual([]);
  // Now it is the first process that cannot open it, which keeps nobody from leaving.
  expect((await bench.owned('DELETE', `/v1/accounts/${id}`)).status).toBe(204);
  expect((await ask('GET', `/v1/accounts/${id}`)).state).toBe('disconnected');
});
