import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { defaultIntervals } from '#clock';
import { dump, expectNowhere } from './secret-places.ts';
import { openReceiver } from './webhook-receiver.ts';
import { type Answer, bootstrapKey, keptLog, type Workbench, workbench } from './workbench.ts';

test('planted secrets appear nowhere: not in the database, logs, errors, journals or answers', async () => {
  const { log, lines } = keptLog();
  const intervals = { ...defaultIntervals, writeDeadlineMs: 1_000 };
  await using bench = await workbench({ log, config: { intervals } });
  const given = (await (await fetch(`${bench.board.url}/_control/credentials`)).json()) as {
    members: { key: string; token: string; appSecret: string }[];
  };
  const [ada] = given.members;
  const { token = '', appSecret = '' } = ada ?? {};
  const password = 'planted password 8c1f';
  const answers: unknown[] = [];
  const note = async (call: Promise<{ body: unknown }>) => void answers.push((await call).body);

  const auth = { type: 'key_token', key: ada?.key, token, secret: appSecret };
  const { body: account } = await bench.owned('POST', '/v1/accounts', { integration: 'board', auth });
  await note(bench.owned('POST', '/v1/accounts', { integration: 'board', auth: { ...auth, token: `${token}x` } }));
  const list = bench.board.newList();
  const run = (input: unknown, step = 'api_call') =>
    note(bench.owned('POST', `/v1/steps/board.${step}/run`, { accountId: account.id, input }));
  await run({ idList: list.id, name: 'Card' }, 'create_card');
  await run({ method: 'GET', endpoint: '/1/members/me' });
  bench.board.control.faults.add({ match: { path: '/1/cards' }, kind: 'reset', times: 1 });
  await run({ idList: list.id, name: 'Lost' }, 'create_card');
  bench.board.control.faults.add({ match: { path: '/1/cards' }, kind: 'status', status: 500, times: 1 });
  await run({ method: 'POST', endpoint: '/1/cards', body: { idList: list.id, name: 'Broken' } });
  await note(bench.owned('POST', `/v1/accounts/${account.id}/test`));
  await note(bench.owned('GET', '/v1/accounts'));
  await note(bench.owned('GET', '/v1/audit?limit=100'));
  const { body: runs } = await bench.owned('GET', '/v1/runs');
  for (const { id } of runs.items) await note(bench.owned('GET', `/v1/runs/${id}`));
  const cookie = await bench.signInAsOwner();
  await note(bench.call('PUT', '/v1/session/password', { cookie, body: { password } }));
  await note(
    bench.call('POST', '/v1/session', { body: { email: 'owner@switchboard.local', password: `${password}!` } }),
  );
  const { body: made } = await bench.call('POST', '/v1/api-keys', {
    cookie,
    body: { name: 'planted', scopes: ['read'] },
    headers: { 'idempotency-key': 'planted' },
  });
  await note(bench.call('GET', '/v1/workspace', { key: `${made.key}x` }));

  const secrets = { token, appSecret, password, bootstrapKey, key: made.key, session: cookie.split('=')[1] ?? '' };
  const places = {
    database: await dump(bench.connectionString),
    logs: lines.join('\n'),
    answers: JSON.stringify(answers),
  };
  expect(lines.length).toBeGreaterThan(10);
  expectNowhere(secrets, places);
});

test('what a sign-in brings appears nowhere either: tokens, codes, states, links, the secret of our app', async () => {
  const { log, lines } = keptLog();
  await using bench = await workbench({ log, mail: true });
  const visitor = bench.visitor();
  bench.mail.world.tokens.consentMode = { mode: 'auto', as: 'ada@sandbox.test' };
  const made = await bench.owned('POST', '/v1/connect', { integration: 'mail' });
  const { accountId } = await visitor.visit(made.body.url);
  bench.mail.world.tokens.expire();
  const answers: unknown[] = [];
  const note = async (call: Promise<{ body: unknown }>) => void answers.push((await call).body);
  const run = () => bench.owned('POST', '/v1/steps/mail.list_folders/run', { accountId, input: {} });
  await note(run());
  bench.mail.world.tokens.revoke();
  await note(run());
  bench.board.consent.current = { mode: 'auto', as: 'ben' };
  const board = await bench.owned('POST', '/v1/connect', { integration: 'board', method: 'authorize' });
  const page = await visitor.visit(board.body.url);
  const brought = await visitor.bringFragment(page);
  await note(bench.owned('DELETE', `/v1/accounts/${brought.accountId}`));
  await note(bench.owned('GET', '/v1/accounts'));
  await note(bench.owned('GET', '/v1/audit?limit=100'));

  const { access, refresh, codes } = bench.mail.world.tokens.snapshot();
  const issued = [...access, ...refresh, ...codes].map(([value]) => value);
  const onTheWay = visitor.been.flatMap(({ pathname, searchParams, hash }) => [
    ...[...searchParams].filter(([name]) => name === 'state' || name === 'code').map(([, value]) => value),
    ...(hash === '' ? [] : [hash.slice('#token='.length)]),
    ...(pathname.startsWith('/connect/sbc_') ? [pathname.slice('/connect/'.length)] : []),
  ]);
  const secrets = [...issued, ...onTheWay, 'sandbox-secret'];
  expect(secrets.length).toBeGreaterThan(10);
  const places = {
    database: await dump(bench.connectionString),
    logs: lines.join('\n'),
    answers: JSON.stringify(answers),
  };
  expectNowhere(Object.fromEntries(secrets.entries()), places);
});

/** Everything that a stream says, until it is left or ends. */
const follow = async (bench: Workbench, path: string) => {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${bootstrapKey}` };
  const { body } = await fetch(new URL(path, bench.origin), { headers, signal: leaving.signal });
  const texts: string[] = [];
  const over = (async () => {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) texts.push(Buffer.from(chunk).toString());
  })().catch(() => {});
  return { texts, over, leave: () => leaving.abort() };
};

test('nor what is told live, brought to webhooks and agents elsewhere, kept of that, or answered over MCP', async () => {
  const { log, lines } = keptLog();
  const intervals = { ...defaultIntervals, writeDeadlineMs: 3_000, liveMs: 60, noticeRetryMs: 20 };
  await using bench = await workbench({ log, mail: true, config: { intervals } });
  // Whoever is told something says it back, as badly made receivers do.
  const echo = ({ headers, body }: { headers: object; body: string }) => JSON.stringify({ headers, body });
  await using receiver = await openReceiver((told) => ({ status: 500, body: echo(told) }));
  await using platform = await openReceiver(({ body }) => ({ status: 400, body: JSON.parse(body).data.runKey }));
  const inUrl = { address: 'planted-in-the-address-77ab', address2: 'planted-in-the-query-91cd' };
  const path = `/${inUrl.address}?token=${inUrl.address2}`;
  const owned = async (...given: Parameters<typeof bench.owned>): Promise<Answer['body']> => {
    const { status, body } = await bench.owned(...given);
    if (status >= 300) throw new Error(`${given[0]} ${given[1]}: ${JSON.stringify(body)}`);
    return body;
  };
  const live = await follow(bench, '/v1/stream');
  const events = ['run.finished', 'approval.requested', 'account.needs_reconnect', 'trigger.broken', 'event.fired'];
  const hooks = [`http://127.0.0.1:${receiver.port}${path}`, `http://127.0.0.1:1${path}`].map((url) =>
    owned('POST', '/v1/webhooks', { url, events }),
  );
  const [first, second] = await Promise.all(hooks);
  const rotated = await owned('POST', `/v1/webhooks/${first.id}/rotate`);

  const { token, key, appSecret } = bench.board.credentials('ada');
  const auth = { type: 'key_token', key, token, secret: appSecret };
  const board = await owned('POST', '/v1/accounts', { integration: 'board', auth });
  const mailbox = await bench.connectMail();
  const step = { key: 'all', step: 'board.get_boards', account: { id: board.id } };
  const tool = await owned('POST', '/v1/tools', { name: 'All boards', steps: [step] });
  const url = `http://127.0.0.1:${platform.port}${path}`;
  const held = { name: 'Elsewhere', tools: [{ toolId: tool.id }] };
  const agent = await owned('POST', '/v1/agents', { ...held, runner: { type: 'webhook', url } });
  const { runId } = await owned('POST', `/v1/agents/${agent.id}/runs`, { input: {} });
  const ofRun = await follow(bench, `/v1/runs/${runId}/stream`);

  const made = await owned('POST', '/v1/api-keys', { name: 'over MCP', scopes: ['run'] });
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${made.key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', bench.origin), { requestInit: { headers } }));
  const answers: unknown[] = [await client.listTools()];
  const call = async (name: string, given: Record<string, unknown>) =>
    void answers.push(await client.callTool({ name, arguments: given }));
  const to = { to: ['ben@sandbox.test'], subject: 'x', body: 'x' };
  await call('board_get_boards', { accountId: board.id });
  await call('mail_send_email', { accountId: mailbox, ...to });
  await call('board_create_card', { accountId: board.id, idList: '0'.repeat(24), name: 'Nowhere' });
  const { access, refresh, codes } = bench.mail.world.tokens.snapshot();
  bench.mail.world.tokens.revoke();
  await call('mail_list_folders', { accountId: mailbox });
  await client.close();

  const runNow = async () => JSON.stringify(await owned('GET', `/v1/runs/${runId}`));
  await expect.poll(runNow).toContain('400');
  const keys = platform.received.map(({ body }) => JSON.parse(body).data.runKey as string);
  expect(keys[0]).toMatch(/^sbr_/);
  const ending = { key: keys.at(-1), body: { status: 'failed', error: 'Refused.' } };
  expect((await bench.call('POST', `/v1/runs/${runId}/finish`, ending)).status).toBe(200);
  const deliveriesOf = async ({ id }: { id: string }) =>
    JSON.stringify(await owned('GET', `/v1/webhooks/${id}/deliveries`));
  // Each kind of failure is kept: an answer that says everything back, and no answer at all.
  await expect
    .poll(() => deliveriesOf(first))
    .toMatch(/webhook-signature.*account.needs_reconnect|account.needs_reconnect.*webhook-signature/);
  await expect.poll(() => deliveriesOf(second)).toContain('ECONNREFUSED');
  await expect.poll(() => live.texts.join('')).toContain('needs_reconnect');
  await ofRun.over;
  live.leave();

  const secrets = {
    token,
    appSecret,
    bootstrapKey,
    key: made.key,
    runKey: keys[0] ?? '',
    agentSecret: agent.secret.replace('whsec_', ''),
    ...Object.fromEntries(
      [first, second, rotated].map((each, nth) => [`hook ${nth}`, each.secret.replace('whsec_', '')]),
    ),
    ...Object.fromEntries([...access, ...refresh, ...codes].map(([value], nth) => [`mail ${nth}`, value])),
  };
  const told = {
    'the live stream': live.texts.join(''),
    'the stream of a run': ofRun.texts.join(''),
    'what webhooks were brought': JSON.stringify(receiver.received.map(({ headers, body }) => ({ headers, body }))),
    'what is kept of deliveries': `${await deliveriesOf(first)}${await deliveriesOf(second)}`,
    'answers over MCP': JSON.stringify(answers),
    'the run': await runNow(),
    audit: JSON.stringify(await owned('GET', '/v1/audit?limit=100')),
    logs: lines.join('\n'),
  };
  expectNowhere({ ...secrets, ...inUrl }, told);
  // The addresses themselves are kept as they were given.
  expectNowhere(secrets, { database: await dump(bench.connectionString) });
});

test('no secret stands in the arguments of our processes', async () => {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  expect(stdout).not.toContain(bootstrapKey);
});
