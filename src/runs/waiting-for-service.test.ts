import { expect, test } from 'vitest';
import { bootstrapKey } from '#test';
import { eventScene } from '../../test/event-scene.ts';
import { runStatement } from '../../test/run-statement.ts';

test('a run that waits for a service says for which, how often it was asked in vain and when it is asked again', async () => {
  await using scene = await eventScene();
  const { bench, made, board } = scene;
  const agentId = await scene.reader(await scene.connectBoard());
  board.control.faults.add({ match: { path: '/1/members' }, kind: 'status', status: 503, retryAfter: 60 });

  const { runId } = await made('POST', `/v1/agents/${agentId}/runs`, { input: {} });

  const told = async () => (await scene.run(runId)).waiting;
  await expect.poll(told).toMatchObject({ service: 'board', code: 'upstream_unavailable', tries: 1 });
  const { nextTryAt } = await told();
  expect(Date.parse(nextTryAt) - Date.now()).toBeGreaterThan(40_000);
  expect((await made('GET', '/v1/runs')).items[0]).toMatchObject({ status: 'queued', waiting: { nextTryAt } });

  const headers = { authorization: `Bearer ${bootstrapKey}` };
  const stream = await fetch(`${bench.origin}/v1/runs/${runId}/stream`, { headers });
  const retry = `select set_config('app.workspace', '*', false); update runs set lease_until = now() where id = '${runId}'`;
  await runStatement(bench.connectionString, retry);
  let seen = '';
  for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += part;
    if (/"status":"queued","waiting":\{[^}]*"tries":2/.test(seen)) break;
  }
});
