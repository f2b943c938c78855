import { once } from 'node:events';
import { request as rawRequest } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootstrapKey, keptLog, type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  bench.call('POST', path, { key: bootstrapKey, body, headers });

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

test.each([
  ['broken JSON', '{"name": ', 400, 'invalid_input'],
  ['no JSON at all', 'hello', 400, 'invalid_input'],
  ['a 10 MB body', `{"name":"${'x'.repeat(10_000_000)}"}`, 413, 'too_large'],
  ['arrays nested 100,000 deep', deep('[', ']', 100_000), 400, 'invalid_input'],
  ['objects nested 100,000 deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, 'invalid_input'],
  ['a wrong type', '{"name": 5, "scopes": ["read"]}', 400, 'invalid_input'],
  ['an unknown field', '{"name": "x", "scopes": ["read"], "admin": true}', 400, 'invalid_input'],
  ['a prototype key', '{"name": "x", "scopes": ["read"], "__proto__": {"admin": true}}', 400, 'invalid_input'],
  ['an unknown choice', '{"name": "x", "scopes": ["everything"]}', 400, 'invalid_input'],
  ['nothing', '', 400, 'invalid_input'],
])('%s is refused with a typed error', async (_, body, status, code) => {
  const answer = await post('/v1/api-keys', body);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatchObject({ code, requestId: expect.stringMatching(/^req_/) });
});

test('64 levels are read, and one more is refused before anybody looks at what it is', async () => {
  const said = async (levels: number) => (await post('/v1/api-keys', deep('[', ']', levels))).body.error.message;
  expect([await said(64), await said(65)]).toEqual([
    'The request is malformed. The body must be a JSON object.',
    'The body is nested deeper than 64 levels.',
  ]);
});

test('a body that is empty is told from one that is no JSON, by every door', async () => {
  for (const path of ['/v1/api-keys', '/v1/steps/board.get_boards/run', '/v1/triggers/preview']) {
    const messages = ['', ' ', '{"name": '].map(async (body) => (await post(path, body)).body.error.message);
    const empty = 'The body is empty; send a JSON object.';
    expect([path, ...(await Promise.all(messages))]).toEqual([path, empty, empty, 'The body is not JSON.']);
  }
});

test.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense', ''])(
  'a body sent as "%s" is refused',
  async (type) => {
    const headers = { 'content-type': type };
    const { status, body } = await post('/v1/api-keys', '{"name": "x", "scopes": ["read"]}', headers);
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
    expect(body.error.message).toContain('content-type: application/json');
    const settings = await bench.call('PATCH', '/v1/settings', {
      key: bootstrapKey,
      body: '{"sends":{"perRun":6}}',
      headers,
    });
    expect(settings.status).toBe(400);
  },
);

test('the named field and what it should be are in the error', async () => {
  const { body } = await post('/v1/api-keys', '{"name": 5, "scopes": []}');
  expect(body.error.details.fields.map(({ field }: { field: string }) => field)).toEqual(['name', 'scopes']);
  expect(body.error.message).toContain('name: ');
  const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, n]));
  const many = await post('/v1/api-keys', JSON.stringify({ name: 'x', scopes: ['read'], ...unknown }));
  expect(many.body.error.details.fields).toHaveLength(50);
});

test('a route that takes no fields refuses those it is given, and takes an empty object', async () => {
  const { body: document } = await bench.call('GET', '/v1/openapi.json');
  type Operation = { requestBody?: unknown; security: { apiKey?: unknown }[] };
  const doors = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { requestBody, security }]) => requestBody === undefined && security.some(({ apiKey }) => apiKey))
      .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, 'x_1')] as const)
      .filter(([method]) => method !== 'GET'),
  );
  expect(doors.map((door) => door.join(' '))).toContain('POST /v1/stop');
  for (const [method, path] of doors) {
    const { body } = await bench.call(method, path, { key: bootstrapKey, body: { reason: 'x' } });
    expect([path, body.error.message]).toEqual([path, 'The request is malformed. reason: is not a field here']);
    expect(body.error.details.fields).toEqual([{ field: 'reason', message: 'is not a field here' }]);
  }

  for (const body of ['reason=x', '{"reason": ', ' ']) {
    const { status, body: answer } = await post('/v1/triggers/trg_1/test', body);
    expect([body, status, answer.error.code]).toEqual([body, 400, 'invalid_input']);
    expect(answer.error.message).toContain('Send the body as JSON');
  }
  expect((await post('/v1/resume', '{}')).status).toBe(200);
  expect((await post('/v1/resume', 'null')).status).toBe(200);
});

test('a route that takes no parameters refuses those it is given, and does nothing', async () => {
  const { body: document } = await bench.call('GET', '/v1/openapi.json');
  type Operation = { parameters?: { in: string }[]; 'x-access': { scope?: string } };
  const doors = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { 'x-access': door }]) => door.scope !== undefined)
      .filter(([, { parameters = [] }]) => parameters.every((each) => each.in !== 'query'))
      .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, 'x_1')] as const),
  );
  expect(doors.map((door) => door.join(' '))).toContain('POST /v1/steps/x_1/run');
  for (const [method, path] of doors) {
    const { status, body } = await bench.owned(method, `${path}?dryRun=true`);
    const fields = [{ field: 'dryRun', message: expect.stringContaining('is not a parameter here') }];
    expect([method, path, status, body.error?.details?.fields]).toEqual([method, path, 400, fields]);
  }

  const accountId = await bench.connectBoard();
  const lists = await bench.owned('GET', `/v1/options/lists?accountId=${accountId}&board=Launch`);
  const input = { idList: lists.body.items[0].value, name: 'Only tried' };
  const tried = await bench.owned('POST', '/v1/steps/board.create_card/run?dryRun=true', { accountId, input });
  expect(tried.body.error.message).toContain('dryRun: is not a parameter here; fields stand in the body');
  expect([...bench.board.world.cards.values()].filter(({ name }) => name === 'Only tried')).toEqual([]);
  await bench.owned('DELETE', `/v1/accounts/${accountId}`);
});

const placesOf = ({ body }: { body: { error: { details: { fields: { field: string }[] } } } }) =>
  body.error.details.fields.map(({ field }) => field);

test.each([
  ['/v1/accounts?integration=zzz', 'integration', 'there are: board, mail'],
  ['/v1/steps?integration=zzz', 'integration', 'there are: board, mail'],
  ['/v1/accounts?permissionType=zzz', 'permissionType', 'standard'],
  ['/v1/accounts?step=zzz', 'step', 'no step "zzz"'],
  ['/v1/runs?cursor=zzz', 'cursor', 'nextCursor'],
  ['/v1/audit?action=zzz', 'action', 'there are: account, agent, '],
  ['/v1/audit?action=effect.s', 'action', 'there are: account, agent, '],
])('%s is refused instead of answered with an empty list', async (path, field, hint) => {
  const answer = await bench.owned('GET', path);
  expect([answer.status, placesOf(answer)]).toEqual([400, [field]]);
  expect(answer.body.error.message).toContain(hint);
});

test('what cannot be connected is refused by the field that says so', async () => {
  const auth = { type: 'zzz' };
  const refused = async (path: string, body: object) => placesOf(await bench.owned('POST', path, body));
  expect(await refused('/v1/accounts', { integration: 'zzz', auth })).toEqual(['integration']);
  expect(await refused('/v1/secrets', { integration: 'board', auth })).toEqual(['auth.type']);
  expect(await refused('/v1/connect', { integration: 'zzz' })).toEqual(['integration']);
  expect(await refused('/v1/connect', { integration: 'mail', method: 'authorize' })).toEqual(['method']);
  const permissionTypes = ['shared_mailboxes'];
  expect(await refused('/v1/connect', { integration: 'board', permissionTypes })).toEqual(['permissionTypes']);
  const both = { accountId: 'acc_a', secretId: 'sec_a', input: {} };
  expect(await refused('/v1/steps/board.get_boards/run', both)).toEqual(['accountId', 'secretId']);
});

test('somebody who cannot be written to is refused by their place', async () => {
  const to = ['ben@sandbox.test', 'ben at sandbox', { name: 'Cy', address: 'nobody' }, { address: 'cy @sandbox' }, ' '];
  const answer = await bench.owned('POST', '/v1/steps/mail.send_email/run', { input: { to, subject: 'x', body: 'x' } });
  expect(placesOf(answer)).toEqual(['input.to[1]', 'input.to[2].address', 'input.to[3].address', 'input.to[4]']);
  expect(answer.body.error.message).toContain('"ben at sandbox" is not a complete address such as ben@example.com');
  expect(answer.body.error.message).toMatch(/such as ben@example.com; input.to\[4\]: is empty; give an address/);
  const [start, end] = ['2026-11-24T09:00', '2026-11-24T10:00'];
  for (const [step, field] of Object.entries({ check_availability: 'attendees', get_schedule: 'schedules' })) {
    const input = { start, end, [field]: ['Ben <ben@sandbox.test>', 'Ben'] };
    const { body } = await bench.owned('POST', `/v1/steps/mail.${step}/run`, { input });
    expect(body.error.message).toMatch(new RegExp(`${field}\\[1\\]: "Ben" is not .*; find_contact finds people`));
  }
});

test('a change that changes nothing is told what it may name', async () => {
  for (const [path, field] of [
    ['/v1/tools/tool_x', 'steps'],
    ['/v1/agents/agt_x', 'runner'],
    ['/v1/triggers/trg_x', 'config'],
  ] as const) {
    const { status, body } = await bench.owned('PATCH', path, {});
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(`at least one of .*${field}`)]);
  }
});

test('who is not let in for want of a credential is told which one is meant', async () => {
  const path = '/v1/steps/board.get_boards/run';
  const challenge = async (options: object, method = 'GET', at = '/v1/runs') => {
    const { status, headers } = await bench.call(method, at, options);
    return [status, headers.get('www-authenticate')];
  };
  expect(await challenge({})).toEqual([401, 'Bearer realm="Switchboard"']);
  const refused = [401, 'Bearer realm="Switchboard", error="invalid_token"'];
  expect(await challenge({ key: 'sbk_wrong' })).toEqual(refused);
  expect(await challenge({ key: 'sbk_wrong', body: { input: {} } }, 'POST', path)).toEqual(refused);
});

test('a field that is not known is named, with those that there are', async () => {
  const { body } = await post('/v1/api-keys', '{"name": "x", "scopes": ["read"], "admin": true}');
  expect(body.error.details.fields).toEqual([{ field: 'admin', message: 'is not a field here' }]);
  expect(body.error.message).toMatch(/ admin: is not a field here\. The fields are name, scopes, [\w, ]+\.$/);
  const settings = await bench.owned('PATCH', '/v1/settings', { retention: { events: 3 } });
  expect(settings.body.error.message).toMatch(/ retention\.events: is not a field here\. The fields of retention are /);
  const { body: query } = await bench.owned('GET', '/v1/runs?unknown=1');
  expect(query.error.message).toMatch(/ unknown: is not a field here\. The fields are limit, /);
  const { body: step } = await bench.owned('POST', '/v1/steps/board.get_boards/run', { input: { shelves: 1 } });
  expect(step.error.details.fields).toEqual([{ field: 'input.shelves', message: 'is not a field here' }]);
  expect(step.error.message).toContain('shelves: is not a field here. The fields are filter, ');
  for (const path of ['steps/board.get_boards/run', 'tools/tool_x/run', 'agents/agt_x/runs']) {
    const { body: bare } = await bench.owned('POST', `/v1/${path}`, { filter: 'all' });
    expect([path, bare.error.message]).toEqual([
      path,
      expect.stringContaining('filter: is not a field here; arguments stand inside "input"'),
    ]);
  }
  const input = { accountId: 'acc_x', account: 'acc_x' };
  const inside = await bench.owned('POST', '/v1/steps/board.get_boards/run', { input });
  expect(inside.body.error.details.fields).toEqual([
    { field: 'input.accountId', message: 'stands beside input, not in it' },
    { field: 'input.account', message: 'is named beside input, as accountId' },
  ]);
});

test('whoever names a step or trigger that there is not is told those that there are, or where to find them', async () => {
  const asked = [
    await bench.owned('GET', '/v1/steps/board_get_boards'),
    await bench.owned('POST', '/v1/steps/board_get_boards/run', { input: {} }),
    await bench.owned('GET', '/v1/accounts?step=board_get_boards'),
    await bench.owned('POST', '/v1/tools', {
      name: 'Boards',
      inputs: [{ name: 'account', type: 'account', integration: 'board' }],
      steps: [{ key: 'boards', step: 'board_get_boards', account: { input: 'account' }, input: {} }],
    }),
  ];
  for (const { body } of asked) expect(body.error.message).toContain('GET /v1/steps lists those there are');
  const trigger = { agentId: 'agt_x', accountId: 'acc_x', type: 'card_moved', config: {} };
  const { body } = await bench.owned('POST', '/v1/triggers', trigger);
  expect(body.error.message).toMatch(/no trigger of the type "card_moved"; there are: .*board\.card_moved, /);
});

test('what is wrong with the whole body is no field of it', async () => {
  for (const path of ['/v1/tools', '/v1/steps/board.get_boards/run']) {
    const { status, body } = await post(path, '[{}]');
    const { message, details } = body.error;
    expect([status, message, details]).toEqual([
      400,
      'The request is malformed. The body must be a JSON object.',
      undefined,
    ]);
  }
});

test.each([
  ['/v1/steps/board.get_boards/run', '{"input": {"__proto__": {"filter": "all"}}}', 'input.__proto__'],
  ['/v1/steps/board.get_boards/run', '{"input": {"filter": [{"\\u005f_proto__": 1}]}}', 'input.filter[0].__proto__'],
  ['/v1/tools/tool_x/run', '{"input": {"__proto__": 1}}', 'input.__proto__'],
  ['/mcp', '{"method": "tools/call", "params": {"__proto__": 1}}', 'params.__proto__'],
])('a prototype key is refused instead of dropped: %s %s', async (path, text, field) => {
  const { status, body } = await post(path, text);
  expect([status, body.error.details.fields]).toEqual([400, [{ field, message: 'is not a field here' }]]);
});

test('a kind that there is not is refused with those that there are', async () => {
  const kinds = 'one of tool, model, webhook';
  for (const [runner, message] of [
    [{}, `must be given: ${kinds}`],
    [{ type: 'magic' }, `must be ${kinds}`],
  ]) {
    const { body } = await bench.owned('POST', '/v1/agents', { name: 'x', runner });
    expect(body.error.details.fields).toEqual([{ field: 'runner.type', message }]);
  }
  const { body } = await bench.owned('POST', '/v1/accounts', { integration: 'board', auth: {} });
  expect(body.error.message).toContain('auth.type: must be given: a way to connect, as GET /v1/integrations');
});

test('bytes that are not text are refused', async () => {
  const answer = await fetch(`${bench.origin}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' },
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  });
  expect(answer.status).toBe(400);
});

/** Sent in parts, so that no length is stated. */
const inParts = (path: string, type: string, parts: string[]) =>
  new Promise<number>((resolve, reject) => {
    const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': type, origin: bench.origin };
    const request = rawRequest(`${bench.origin}${path}`, { method: 'POST', headers }, (answer) =>
      resolve(answer.resume().statusCode ?? 0),
    );
    request.on('error', reject);
    for (const part of parts) request.write(part);
    request.end();
  });

test.each([
  ['/v1/api-keys', 'application/json', '{"name": "x", "scopes": ["read"]}', 201],
  ['/oauth/register', 'application/json', '{"redirect_uris": ["https://app.example/back"]}', 201],
  ['/oauth/token', 'application/x-www-form-urlencoded', 'grant_type=refresh_token&refresh_token=x&client_id=y', 400],
  ['/oauth/revoke', 'application/x-www-form-urlencoded', 'token=x', 200],
  ['/connect/board/callback', 'application/x-www-form-urlencoded', 'state=x&token=y', 410],
])('%s reads a body without a stated length, and cuts it off at the limit', async (path, type, whole, status) => {
  expect(await inParts(path, type, [whole.slice(0, 5), whole.slice(5)])).toBe(status);
  expect(await inParts(path, type, Array(30).fill('x'.repeat(100_000)))).toBe(413);
});

test('who hangs up in the middle of a body is no failure of ours', async () => {
  const { log, lines } = keptLog();
  await using own = await workbench({ log });
  for (const [path, length] of [
    ['/hooks/board/nobody', 'transfer-encoding: chunked'],
    ['/v1/session', 'transfer-encoding: chunked'],
    ['/v1/session', 'content-length: 500'],
    ['/v1/files?name=x', 'content-length: 500'],
  ]) {
    const socket = connect(Number(new URL(own.origin).port), '127.0.0.1');
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${bootstrapKey}\r\n${length}\r\n\r\n`;
    await new Promise((resolve) => socket.write(`${head}5\r\nabc`, resolve));
    // The request has arrived once the next one is answered.
    await own.call('GET', '/healthz');
    socket.destroy();
    await once(socket, 'close');
  }
  const told = () => lines.filter((line) => line.includes('"level":"error"'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(told()).toEqual([]);
});

test('headers beyond 16 KB are refused before anything is parsed', async () => {
  const socket = connect(Number(new URL(bench.origin).port), '127.0.0.1');
  socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(first.toString()).toContain(' 431 ');
});

test.each(['\\u0000', '\\ud800', '\\udc00', '\\udc00\\ud800', '\\ud800\\ud83d\\ude00'])(
  'a text with %s, which cannot be stored, is refused wherever it stands',
  async (escape) => {
    const step = { body: `{"input": {"query": "a${escape}b"}}`, path: '/v1/steps/board.search_cards/run' };
    const member = { body: `{"email": "a@b.test", "name": "a${escape}b", "role": "viewer"}`, path: '/v1/members' };
    for (const { path, body: text } of [step, member]) {
      const { status, body } = await post(path, text);
      expect([path, status, body.error.message]).toEqual([path, 400, expect.stringContaining('zero character')]);
    }
  },
);

test('what only looks like such a text is taken as it is', async () => {
  const { status, body } = await post(
    '/v1/api-keys',
    '{"name": "\\\\u0000 \\ud83d\\ude00 \\u00e9", "scopes": ["read"]}',
  );
  expect([status, body.name]).toEqual([201, '\\u0000 😀 é']);
});

test.each(['limit=0', 'limit=101', 'limit=ten', 'cursor=nonsense', 'unknown=1'])(
  'the query %s is refused',
  async (query) => {
    const { status, body } = await bench.owned('GET', `/v1/runs?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
  },
);

test('what can be given in several ways is refused with what is wrong, not only that something is', async () => {
  const run = async (step: string, input: object) =>
    (await bench.owned('POST', `/v1/steps/${step}/run`, { input })).body.error.message;
  expect(await run('mail.list_events', {})).toContain('input.start: must be given; input.end: must be given');
  const mail = { to: ['ben@sandbox.test'], subject: 'x', body: 'x' };
  expect(await run('mail.send_email', { ...mail, attachments: [{ name: 'a.txt' }] })).toContain(
    'attachments[0]: needs either ref or text',
  );
  expect(await run('board.create_card', { idList: 'x', name: 'x', dueReminder: 7 })).toMatch(
    /one of -1, 0, 5, .*2880$/,
  );
  expect(await run('board.get_list_cards', { list: 'x', updatedSince: 'today' })).toMatch(
    /a date, such as .*; or .* with its offset, such as 2026-11-02T09:00.*; or .* local time, such as 2026-11-02T09:00:00, together with timeZone$/,
  );
  const tool = { name: 'T', steps: [{ key: 'a', step: 'board.get_boards', input: {} }] };
  expect((await bench.owned('POST', '/v1/tools', tool)).body.error.message).toContain(
    'steps[0].account: must be given',
  );
});

test('what may go well later says so, also where it names its run', async () => {
  const accountId = await bench.connectBoard();
  bench.board.control.faults.add({ match: { path: '/1/members/' }, kind: 'status', status: 500 });
  const { body: failed } = await bench.owned('POST', '/v1/steps/board.get_boards/run', { accountId, input: {} });
  bench.board.control.faults.clear();
  expect(failed.error).toMatchObject({ code: 'upstream_unavailable', details: { retryable: true } });
  const { body: run } = await bench.owned('GET', `/v1/runs/${failed.error.details.runId}`);
  expect([run.status, run.error.code]).toEqual(['failed', failed.error.code]);
  await bench.owned('POST', '/v1/stop');
  const { status, body } = await bench.owned('POST', '/v1/steps/board.get_boards/run', { input: {} });
  await bench.owned('POST', '/v1/resume');
  expect([status, body.error.code, body.error.details?.retryable]).toEqual([503, 'unavailable', true]);
  const { body: never } = await bench.owned('POST', '/v1/steps/board.get_boards/run', { input: { filter: 5 } });
  expect(never.error.details.retryable).toBeUndefined();
});

test('a cursor of another list is refused, instead of being read as the end of this one', async () => {
  for (const [list, other] of [
    ['events', 'run'],
    ['runs', 'evt'],
    ['approvals', 'run'],
    ['accounts', 'sec'],
  ]) {
    const at = (prefix: string | undefined) => Buffer.from(`${prefix}_${'0'.repeat(26)}`).toString('base64url');
    const { status, body } = await bench.owned('GET', `/v1/${list}?cursor=${at(other)}`);
    expect([list, status, body.error?.message]).toEqual([list, 400, expect.stringContaining('of this list')]);
  }
});

test('every list can be read in parts, those that are given as a whole, too', async () => {
  const accountId = await bench.connectBoard();
  await bench.owned('POST', '/v1/members', { name: 'Vi', email: 'vi@example.com', role: 'viewer' });
  const lists = [
    'steps?integration=mail&',
    'integrations?',
    'members?',
    `options/lists?board=Launch&accountId=${accountId}&`,
  ];
  for (const list of lists) {
    const { items: all } = (await bench.owned('GET', `/v1/${list}`)).body;
    const { items: first, nextCursor } = (await bench.owned('GET', `/v1/${list}limit=1`)).body;
    const { items: rest, ...end } = (await bench.owned('GET', `/v1/${list}cursor=${nextCursor}`)).body;
    expect([list, [...first, ...rest], end]).toEqual([list, all, {}]);
    for (const wrong of ['limit=0', 'cursor=nonsense', `cursor=${nextCursor.slice(0, 12)}zz`, 'unknown=1']) {
      const { status, body } = await bench.owned('GET', `/v1/${list}${wrong}`);
      expect([list, wrong, status, body.error?.code]).toEqual([list, wrong, 400, 'invalid_input']);
    }
  }
});

test('a step tells the scopes that signing in asks for', async () => {
  const scopesOf = async (id: string) => (await bench.owned('GET', `/v1/steps/${id}`)).body.scopes;
  expect(await scopesOf('mail.send_email')).toEqual(['Mail.ReadWrite', 'Mail.Send']);
  expect(await scopesOf('mail.check_availability')).toEqual(['Calendars.ReadWrite']);
  expect(await scopesOf('board.create_card')).toEqual(['read:board', 'write:board']);
  expect(await scopesOf('mail.api_call')).toEqual([]);
});

test('whatever is sent, the answer is typed and the process stays up', async () => {
  const paths = ['/v1/accounts', '/v1/steps/board.create_card/run', '/v1/members', '/v1/session', '/v1/api-keys'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.json({ maxDepth: 5 }), async (path, body) => {
      const answer = await post(path, body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.body.error.message.length).toBeGreaterThan(10);
    }),
    { numRuns: 60 },
  );
  expect((await bench.call('GET', '/readyz')).status).toBe(200);
});

describe('an address that does not exist', () => {
  test('is not_found, and the wrong method on a known one says which are taken', async () => {
    expect((await bench.owned('GET', '/v1/nothing')).body.error.code).toBe('not_found');
    for (const path of ['/v1/runs', '/healthz', '/readyz', '/metrics', '/docs', '/v1/openapi.json']) {
      const answer = await bench.owned('PUT', path);
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
  });

  test.each(['/v1/accounts/%00', '/v1/accounts/..%2f..%2fx', `/v1/accounts/${'x'.repeat(500)}`, '/v1/runs/%ff'])(
    '%s is refused without harm',
    async (path) => {
      const { status } = await bench.owned('GET', path);
      expect([400, 404]).toContain(status);
    },
  );
});
