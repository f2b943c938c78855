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

test('whoever follows a run is told that it waits for a place by then, and for no service', async () => {
  await using scene = await eventScene();
  const { bench, made, board } = scene;
  const agentId = await scene.reader(await scene.connectBoard());
  board.control.faults.add({ match: { path: '/1/members' }, kind: 'status', status: 503, retryAfter: 60 });
  const { runId } = await made('POST', `/v1/agents/${agentId}/runs`, { input: {} });
  await expect.poll(async () => (await scene.run(runId)).waiting).toMatchObject({ service: 'board' });

  const headers = { authorization: `Bearer ${bootstrapKey}` };
  const stream = await fetch(`${bench.origin}/v1/runs/${runId}/stream`, {
    headers,
    signal: AbortSignal.timeout(10_000),
  });
  const seen: string[] = [];
  for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const told = part.split('\n').filter((line) => line.startsWith('data: {"id"'));
    seen.push(...told.map((line) => JSON.parse(line.slice(6)).waiting?.service));
    if (seen.at(-1) === undefined && seen.length > 0) break;
    // It was taken, found no place with its agent, and is given back as if it had never been taken.
    const back = `update runs set waits_for = null, lease_until = now() + interval '1 hour' where id = '${runId}'`;
    await runStatement(bench.connectionString, `set app.workspace = '*'; ${back}`);
  }

  expect(seen).toEqual(['board', undefined]);
});
