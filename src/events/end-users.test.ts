import { expect, test } from 'vitest';
import { eventScene, type Scene } from '../../test/event-scene.ts';
import { openReceiver } from '../../test/webhook-receiver.ts';

const connect = async ({ bench, made }: Scene, address: string, endUserId: string): Promise<string> => {
  bench.mail.world.tokens.consentMode = { mode: 'auto', as: address };
  const { url } = await made('POST', '/v1/connect', { integration: 'mail', endUserId });
  return (await bench.visitor().visit(url)).accountId ?? '';
};

const deliver = (scene: Scene, to: string, subject: string) =>
  fetch(`${scene.bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body: JSON.stringify({ to, from: 'ben@sandbox.test', subject, body: 'Hello' }),
    headers: { 'content-type': 'application/json' },
  });

const ended = (scene: Scene, id: string) =>
  scene.until(
    () => scene.run(id),
    ({ status }) => status !== 'running' && status !== 'queued',
  );

test("what happens in an end user's account is told as theirs: the run, its approval and every notice of it", async () => {
  await using receiver = await openReceiver();
  await using scene = await eventScene({ mail: true });
  const { made } = scene;
  await made('POST', '/v1/webhooks', {
    url: receiver.url,
    events: ['event.fired', 'approval.requested', 'run.finished'],
  });
  const one = await connect(scene, 'ada@sandbox.test', 'one');
  const toolId = await scene.newTool('Answer', ['subject'], {
    step: 'mail.send_email',
    input: { to: ['ben@sandbox.test'], subject: '{{inputs.subject}}', body: 'Thanks' },
  });
  const agent = await made('POST', '/v1/agents', {
    name: 'Answers',
    instructions: '',
    tools: [{ toolId, permission: 'approval' }],
    runner: { type: 'tool', toolId, input: { subject: 'Re', account: '{{event.account.id}}' } },
  });
  await scene.newTrigger(agent.id, 'mail.new_email', one);
  await deliver(scene, 'ada@sandbox.test', 'Bread');

  const [event] = await scene.eventsUntil(1);
  const run = await ended(scene, event.runId);
  expect(run).toMatchObject({ status: 'waiting_approval', endUserId: 'one' });
  const { items } = await made('GET', '/v1/approvals?endUserId=one');
  expect(items).toMatchObject([{ runId: run.id, cause: { endUserId: 'one' } }]);
  expect((await made('GET', '/v1/approvals?endUserId=two')).items).toEqual([]);
  await made('POST', `/v1/approvals/${items[0].id}/reject`, {});
  await ended(scene, run.id);
  expect((await made('GET', '/v1/runs?endUserId=one')).items).toMatchObject([{ id: run.id, endUserId: 'one' }]);
  expect((await made('GET', '/v1/runs?endUserId=two')).items).toEqual([]);
  const again = await made('POST', `/v1/runs/${run.id}/retry`, {});
  expect(await ended(scene, again.runId)).toMatchObject({ status: 'waiting_approval', endUserId: 'one' });

  const told = await scene.until(
    async () => receiver.received.map(({ body }) => JSON.parse(body)),
    ({ length }) => length >= 4,
  );
  expect(told.map(({ type, data }) => `${type} ${data.endUserId}`).toSorted()).toEqual([
    'approval.requested one',
    'approval.requested one',
    'event.fired one',
    'run.finished one',
  ]);
});

test("a trigger's run for one end user uses what its builder chose, never the account of another", async () => {
  await using scene = await eventScene({ mail: true });
  const own = await scene.bench.connectMail('cy@sandbox.test');
  const one = await connect(scene, 'ada@sandbox.test', 'one');
  const two = await connect(scene, 'ben@sandbox.test', 'two');
  const toolId = await scene.newTool('Labels', [], { step: 'mail.list_labels', input: {} });
  const agents: Record<string, string> = {};
  for (const [name, account] of Object.entries({ own, one })) {
    const agent = await scene.newAgent(name, toolId, { account });
    agents[name] = agent;
    const trigger = await scene.newTrigger(agent, 'mail.new_email', one);
    const { runId } = await scene.made('POST', `/v1/triggers/${trigger.id}/test`, {});
    expect(await ended(scene, runId)).toMatchObject({ status: 'succeeded', endUserId: 'one' });
  }

  const listed = async (path: string) => (await scene.made('GET', path)).items;
  await scene.newTrigger(agents['own'] ?? '', 'mail.new_email', own);
  const theirs = await listed('/v1/triggers?endUserId=one');
  expect(theirs).toMatchObject([{ endUserId: 'one' }, { endUserId: 'one' }]);
  expect((await listed('/v1/triggers'))[0].endUserId).toBeUndefined();
  expect(await listed('/v1/triggers?endUserId=two')).toEqual([]);
  // What happened stays theirs when its trigger is deleted.
  await scene.bench.owned('DELETE', `/v1/triggers/${theirs[1].id}`);
  const { items: happened } = await scene.made('GET', '/v1/events?endUserId=one');
  expect(happened.map(({ triggerId }: { triggerId: string }) => triggerId)).toEqual(
    theirs.map(({ id }: { id: string }) => id),
  );
  expect(await listed('/v1/events?endUserId=two')).toEqual([]);

  const refusedAt = async (method: string, path: string, body: object) => {
    const answer = await scene.bench.owned(method, path, body);
    const { fields, agents: users } = answer.body.error?.details ?? {};
    return [answer.status, ...(fields ?? users?.[0]?.fields ?? []).map(({ field }: { field: string }) => field)];
  };
  const type = 'mail.new_email';
  const agentId = await scene.newAgent('two', toolId, { account: two });
  expect(await refusedAt('POST', '/v1/triggers', { agentId, type, accountId: one })).toEqual([400, 'accountId']);
  const runner = { type: 'tool', toolId, input: { account: two } };
  const place = `/v1/agents/${agents['one']}`;
  expect(await refusedAt('PATCH', place, { runner })).toEqual([400, 'runner.input.account']);
  const steps = [{ key: 'it', step: 'mail.list_labels', account: { id: two }, input: {} }];
  expect(await refusedAt('PATCH', `/v1/tools/${toolId}`, { steps })).toEqual([409, 'tools[0].toolId']);
  expect(await refusedAt('POST', '/v1/triggers', { agentId, type, accountId: own })).toEqual([201]);

  const { runId } = await scene.made('POST', `/v1/agents/${agentId}/runs`, { input: {}, endUserId: 'one' });
  expect(await ended(scene, runId)).toMatchObject({ status: 'failed', endUserId: 'one', error: { code: 'not_found' } });
});

test('an agent that is started by hand for one end user keeps to their accounts', async () => {
  await using scene = await eventScene({ mail: true });
  const one = await connect(scene, 'ada@sandbox.test', 'one');
  const two = await connect(scene, 'ben@sandbox.test', 'two');
  const toolId = await scene.newTool('Labels', [], { step: 'mail.list_labels', input: {} });
  const agent = await scene.newAgent('Labels', toolId, { account: '{{event.account.id}}' });
  const start = (account: string) =>
    scene.bench.owned('POST', `/v1/agents/${agent}/runs`, { input: { account }, endUserId: 'one' });
  const { body } = await start(one);
  expect(await ended(scene, body.runId)).toMatchObject({ status: 'succeeded', endUserId: 'one' });
  expect(await start(two)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await scene.made('GET', '/v1/runs')).items).toHaveLength(1);
});

test('cards one after the other start runs of the end user whose board it is', async () => {
  await using scene = await eventScene();
  scene.board.consent.current = { mode: 'auto', as: 'ada' };
  const { url } = await scene.made('POST', '/v1/connect', { integration: 'board', method: 'oauth2', endUserId: 'one' });
  const accountId = (await scene.bench.visitor().visit(url)).accountId ?? '';
  const config = { boards: [scene.board.launch().id] };
  await scene.settled(await scene.newTrigger(await scene.commenter(accountId), 'board.new_card', accountId, config));
  for (const [at, name] of ['Milk', 'Bread', 'Salt'].entries()) {
    scene.board.newCard({ name, as: 'ben' });
    const [event] = await scene.eventsUntil(at + 1);
    expect(await ended(scene, event.runId)).toMatchObject({ status: 'succeeded', endUserId: 'one' });
  }
  const step = await scene.made('POST', '/v1/steps/board.get_boards/run', { accountId, input: {} });
  expect(await scene.run(step.runId)).toMatchObject({ endUserId: 'one' });
  expect((await scene.made('GET', '/v1/runs?endUserId=one')).items).toHaveLength(4);
});
