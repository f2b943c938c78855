import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toListCursor } from '#kit';
import { idPlaces, type Schema, valueAt, withValueAt } from './id-places.ts';
import { type Inventory, makeInventory } from './inventory.ts';
import { runStatement } from './run-statement.ts';
import { openReceiver } from './webhook-receiver.ts';
import { type Answer, bootstrapKey, type CallOptions, type Tenant, type Workbench, workbench } from './workbench.ts';

/* Ids of another workspace, wherever a request can carry one besides its path. What they are is read in the OpenAPI. */

type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Kind = keyof Inventory;
type Asked = { method: string; path: string; body: (id: string) => unknown; kind: Kind; cookie?: string };

let bench: Workbench;
let foreign: Tenant;
let own: Inventory;
let theirs: Inventory;
/** Somebody who belongs to our workspace alone. */
let memberCookie: string;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

beforeAll(async () => {
  receiver = await openReceiver();
  bench = await workbench({ mail: true });
  document = (await bench.call('GET', '/v1/openapi.json')).body;
  foreign = await bench.newTenant('Foreign');
  const { body: workspace } = await bench.owned('GET', '/v1/workspace');
  const cookie = await bench.signInAsOwner();
  const us = { workspaceId: workspace.id, key: bootstrapKey, cookie, accountId: await bench.connectBoard() };
  own = await makeInventory(bench, us, { name: 'own', receiver: receiver.url });
  theirs = await makeInventory(bench, foreign, { name: 'foreign', receiver: receiver.url });
  // As if the agents had asked.
  for (const { approval, agent } of [own, theirs])
    await runStatement(
      bench.connectionString,
      `set app.workspace = '*'; update approvals set cause = (cause::jsonb || '{"agentId":"${agent}"}')::json
      where id = '${approval}'`,
    );
  // Both see the same boards: what we do there would be news to them.
  await bench.call('PATCH', `/v1/triggers/${theirs.trigger}`, { key: foreign.key, body: { state: 'paused' } });
  const link = await bench.owned('POST', `/v1/members/${own.member}/sign-in-link`);
  memberCookie = await bench.signIn(link.body.url);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const unknownOf = (id: string): string => id.replace(/.{10}$/, '0000000000');

/** Which of our things a field of this name means, if any. */
const kindOf = (name: string, parent = ''): Kind | undefined => {
  const word = name === 'id' ? parent : name.replace(/Ids?$/, '');
  return word in own ? (word as Kind) : undefined;
};
// The catalogue's ids are everybody's; a card's is the service's, which is asked with the account's own credential.
const isId = (name: string): boolean =>
  !['stepId', 'cardId'].includes(name) && (name === 'id' || /Ids?$/.test(name) || kindOf(name) !== undefined);

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

/** Requests that are accepted with our own ids, so that what refuses them is the id that takes their place. */
const accepted = (): Record<string, { path?: string; body: unknown; cookie?: string }[]> => {
  const step = { key: 'all', step: 'board.get_boards' };
  const ofAccount = { name: 'New', steps: [{ ...step, account: { id: own.account } }] };
  const ofSecret = { name: 'New', steps: [{ ...step, account: { secret: own.secret } }] };
  const agent = { name: 'New', tools: [{ toolId: own.tool }], runner: { type: 'tool', toolId: own.tool } };
  const trigger = { type: 'board.new_card', accountId: own.account, config: {} };
  return {
    'PATCH /v1/session': [{ body: { workspaceId: own.workspace }, cookie: memberCookie }],
    'POST /v1/connect': [{ body: { integration: 'mail', accountId: own.endUserAccount, endUserId: own.endUser } }],
    'POST /v1/steps/{id}/run': [
      { path: '/v1/steps/board.get_boards/run', body: { accountId: own.account, input: {} } },
      { path: '/v1/steps/board.get_boards/run', body: { secretId: own.secret, input: {} } },
      { path: '/v1/steps/mail.list_folders/run', body: { endUserId: own.endUser, input: {} } },
    ],
    'POST /v1/tools': [{ body: ofAccount }, { body: ofSecret }],
    'POST /v1/tools/check': [{ body: ofAccount }, { body: ofSecret }],
    'PATCH /v1/tools/{id}': [ofAccount, ofSecret].map((body) => ({ path: `/v1/tools/${own.tool}`, body })),
    'POST /v1/tools/{id}/run': [
      {
        path: `/v1/tools/${own.openMailTool}/run`,
        body: { endUserId: own.endUser, input: { account: own.endUserAccount } },
      },
    ],
    'POST /v1/agents': [{ body: agent }],
    'PATCH /v1/agents/{id}': [{ path: `/v1/agents/${own.agent}`, body: agent }],
    'POST /v1/agents/{id}/runs': [
      {
        path: `/v1/agents/${own.openMailAgent}/runs`,
        body: { endUserId: own.endUser, input: { account: own.endUserAccount } },
      },
    ],
    'POST /v1/triggers': [{ body: { ...trigger, agentId: own.agent } }],
    'POST /v1/triggers/preview': [{ body: { ...trigger, agentId: own.agent, triggerId: own.trigger } }],
  };
};

/** What the descriptions of bodies leave open: values of inputs, names of fields, a second id in the path. */
const openPlaces = ({ cardId, mailApproval }: { cardId: string; mailApproval: string }): Asked[] => [
  {
    method: 'POST',
    path: `/v1/tools/${own.openTool}/run`,
    body: (account) => ({ input: { account } }),
    kind: 'account',
  },
  {
    method: 'POST',
    path: '/v1/agents',
    body: (account) => ({
      name: 'New',
      tools: [{ toolId: own.openTool }],
      runner: { type: 'tool', toolId: own.openTool, input: { account } },
    }),
    kind: 'account',
  },
  {
    method: 'PATCH',
    path: '/v1/settings',
    body: (id) => ({ allowedRecipients: { [id]: ['ben@sandbox.test'] } }),
    kind: 'account',
  },
  {
    method: 'POST',
    path: '/v1/steps/board.attach/run',
    body: (file) => ({ accountId: own.account, input: { cardId, file } }),
    kind: 'file',
  },
  {
    method: 'POST',
    path: '/v1/steps/mail.create_draft/run',
    body: (ref) => ({ endUserId: own.endUser, input: { subject: 'x', attachments: [ref, { ref }] } }),
    kind: 'file',
  },
  {
    method: 'POST',
    path: `/v1/approvals/${mailApproval}/edit`,
    body: (ref) => ({ changes: { attachments: [ref] } }),
    kind: 'file',
  },
];

const ourCardAndApproval = async () => {
  const list = bench.board.newList();
  const card = { accountId: own.account, input: { idList: list.id, name: 'Card' } };
  const made = await bench.owned('POST', '/v1/steps/board.create_card/run', card);
  const mail = { endUserId: own.endUser, input: { to: ['ben@sandbox.test'], subject: 'x', body: 'x' } };
  const waiting = await bench.owned('POST', '/v1/steps/mail.send_email/run', mail);
  return { cardId: made.body.output.id as string, mailApproval: waiting.body.approval.id as string };
};

const ask = ({ method, path, body, cookie }: Asked, id: string): Promise<Answer> =>
  bench.call(method, path, {
    body: body(id),
    ...(cookie === undefined ? { key: bootstrapKey } : { cookie }),
  });

/** What was said without the id that was asked for, and without that of the run that came of it. */
const without = (said: string, id: string): string =>
  said.replaceAll(id, 'ID').replaceAll(/(runId\W+)run_\w{26}/g, '$1RUN');

/** An answer without what differs between any two requests. */
const plain = ({ status, body }: Answer, id: string) => ({
  status,
  error: without(JSON.stringify({ ...body?.error, requestId: '' }), id),
});

/** What they have, as it is stored; not when their services were last looked at. */
const storedOfThem = async (): Promise<string[]> => {
  const client = new pg.Client({ connectionString: bench.connectionString });
  await client.connect();
  await client.query("select set_config('app.workspace', '*', false)");
  const { rows: tables } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'workspace_id' and table_name <> 'watches' order by 1`,
  );
  const stored: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(
      `select t::text as row from ${name} t where workspace_id = $1 order by 1`,
      [foreign.workspaceId],
    );
    stored.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  await client.end();
  return stored;
};

const asForeigner = (path: string) => bench.call('GET', path, { key: foreign.key });

/** Until nothing of theirs is under way any more. */
const atRest = async () => {
  await expect
    .poll(async () => {
      const { items } = (await asForeigner('/v1/runs?limit=100')).body;
      const deliveries = (await asForeigner(`/v1/webhooks/${theirs.webhook}/deliveries`)).body.items;
      return [
        items.every(({ status }: { status: string }) => ['succeeded', 'waiting_approval'].includes(status)),
        deliveries.every(({ state }: { state: string }) => state === 'delivered'),
      ];
    })
    .toEqual([true, true]);
};

const nothingOfTheirsIn = (what: string, { body }: Answer, asked?: string) => {
  const known = [...Object.values(theirs), 'of foreign'].filter((each) => each !== asked);
  // What was asked with may be told again: whoever asks knows it.
  const text = JSON.stringify(body).replaceAll(asked ?? '', '');
  const told = known.filter((each) => text.includes(each));
  expect([what, told]).toEqual([what, []]);
};

test('in every field of a body that names a thing it is answered like an unknown one, and changes nothing there', async () => {
  await atRest();
  const before = await storedOfThem();
  const bases = accepted();
  const where = { schemas: document.components.schemas, isId };
  const missing: string[] = [];
  const asked: [string, Asked][] = openPlaces(await ourCardAndApproval()).map((each) => [
    `${each.method} ${each.path}`,
    each,
  ]);
  for (const { name, operation } of operations()) {
    for (const place of new Set(idPlaces(operation.requestBody?.content['application/json']?.schema, where))) {
      const [method = '', path = ''] = name.split(' ');
      const base = bases[name]?.find(({ body }) => valueAt(body, place) !== undefined);
      const [parent = '', field = ''] = place.split('.').slice(-2);
      const kind = kindOf(place.includes('.') ? field : place, parent);
      if (base === undefined || kind === undefined) missing.push(`${name} ${place}`);
      else {
        const body = (id: string) => withValueAt(base.body, place, id);
        const known = valueAt(base.body, place) === own.endUserAccount ? 'endUserAccount' : kind;
        const cookie = base.cookie === undefined ? {} : { cookie: base.cookie };
        asked.push([`${name} ${place}`, { method, path: base.path ?? path, body, kind: known, ...cookie }]);
      }
    }
  }
  // A new field that names a thing is tried, too, or this test says so.
  expect(missing).toEqual([]);
  expect(asked.length).toBeGreaterThan(18);
  for (const [what, each] of asked) {
    const [id, unknown] = [theirs[each.kind], unknownOf(theirs[each.kind])];
    const ofTheirs = await ask(each, id);
    const ofNobody = await ask(each, unknown);
    expect([what, Math.floor(ofTheirs.status / 100)]).toEqual([what, 4]);
    expect([what, plain(ofTheirs, id)]).toEqual([what, plain(ofNobody, unknown)]);
    nothingOfTheirsIn(what, ofTheirs, id);
    const ofOurs = await ask(each, own[each.kind]);
    expect([what, ofOurs.status < 300, ofOurs.body.error]).toEqual([what, true, undefined]);
  }
  expect(await storedOfThem()).toEqual(before);
});

test('given to an agent of ours as its account it ends the run like an unknown one', async () => {
  const { openTool: toolId, account } = own;
  const runner = { type: 'tool', toolId, input: { account: '{{event.accountId}}' } };
  const agent = await bench.owned('POST', '/v1/agents', { name: 'Open', tools: [{ toolId }], runner });
  const ended = async (id: string) => {
    const started = await bench.owned('POST', `/v1/agents/${agent.body.id}/runs`, { input: { account: id } });
    const read = async () => (await bench.owned('GET', `/v1/runs/${started.body.runId}`)).body;
    await expect.poll(async () => (await read()).status).toMatch(/succeeded|failed/);
    const { status, error } = await read();
    return { status, error: error?.code, message: error?.message.replaceAll(id, 'ID') };
  };
  const before = await storedOfThem();
  const ofTheirs = await ended(theirs.account);
  expect(ofTheirs).toEqual(await ended(unknownOf(theirs.account)));
  expect(ofTheirs.status).toBe('failed');
  expect((await ended(account)).status).toBe('succeeded');
  expect(await storedOfThem()).toEqual(before);
});

test('a delivery of theirs is not brought again by a webhook of ours', async () => {
  const resend = (id: string) => bench.owned('POST', `/v1/webhooks/${own.webhook}/deliveries/${id}/resend`);
  const [ofTheirs, ofNobody] = [await resend(theirs.delivery), await resend(unknownOf(theirs.delivery))];
  expect(ofTheirs.status).toBe(404);
  expect(plain(ofTheirs, theirs.delivery)).toEqual(plain(ofNobody, unknownOf(theirs.delivery)));
});

/** Lists, with our own id where the path asks for one. */
const lists = () =>
  operations()
    .filter(({ name }) => name.startsWith('GET '))
    .map(({ name, operation }) => ({
      path: name.slice(4),
      names: (operation.parameters ?? []).filter((each) => each.in === 'query').map((each) => each.name),
    }));

test('in every filter of a list it finds nothing, as an unknown one does', async () => {
  const asked = lists().flatMap(({ path, names }) =>
    names.filter((name) => isId(name)).map((name) => ({ path, name })),
  );
  expect(asked.filter(({ name }) => kindOf(name) === undefined)).toEqual([]);
  expect(asked.length).toBeGreaterThan(8);
  for (const { path, name } of asked) {
    const what = `${path} ${name}`;
    const kind = kindOf(name) ?? 'account';
    const ofOptions = path.startsWith('/v1/options/') && name === 'endUserId';
    const others: Record<string, string> = ofOptions ? { accountId: own.endUserAccount } : {};
    const at = path.replace('{id}', name === 'endUserId' ? 'folders' : 'boards');
    const find = (id: string, options: CallOptions) =>
      bench.call('GET', `${at}?${new URLSearchParams({ ...others, [name]: id })}`, options);
    const [id, unknown] = [theirs[kind], unknownOf(theirs[kind])];
    const [ofTheirs, ofNobody] = [await find(id, { key: bootstrapKey }), await find(unknown, { key: bootstrapKey })];
    expect([what, ofTheirs.body.items ?? []]).toEqual([what, []]);
    expect([what, plain(ofTheirs, id)]).toEqual([what, plain(ofNobody, unknown)]);
    nothingOfTheirsIn(what, ofTheirs, id);
    const ofOurs = await find(own[kind], { key: bootstrapKey });
    expect([what, ofOurs.body.error, ofOurs.body.items?.length > 0]).toEqual([what, undefined, true]);
  }
});

test('a place in a list of theirs leads to nothing of theirs in ours', async () => {
  // Those that are given as a whole know their places by themselves.
  const whole = ['integrations', 'steps', 'options/{id}', 'members', 'workspaces'].map((list) => `/v1/${list}`);
  const paged = lists().filter(({ path, names }) => names.includes('cursor') && !whole.includes(path));
  expect(paged.length).toBeGreaterThan(8);
  const [person] = (await asForeigner('/v1/members')).body.items;
  const cursorOfTheirs = toListCursor('members', person.id);
  expect((await bench.owned('GET', `/v1/members?cursor=${cursorOfTheirs}`)).status).toBe(400);
  for (const { path } of paged) {
    const at = (things: Inventory) => path.replace('{id}', things.webhook);
    const { items } = (await asForeigner(`${at(theirs)}?limit=100`)).body;
    // Both the newest and what would come before everything: whichever way it is read, theirs would be there.
    const ends = ['z'.repeat(26), '0'.repeat(26)].map((end) => String(items[0].id).replace(/_.*/, `_${end}`));
    for (const id of [items[0].id, items.at(-1).id, ...ends]) {
      const cursor = Buffer.from(id).toString('base64url');
      const answer = await bench.owned('GET', `${at(own)}?limit=100&cursor=${cursor}`);
      expect([path, answer.status]).toEqual([path, 200]);
      nothingOfTheirsIn(path, answer);
    }
  }
});

test('a request of theirs is not answered again to us under the same key', async () => {
  const headers = { 'idempotency-key': 'the same in both' };
  const run = (key: string) =>
    bench.call('POST', '/v1/steps/board.get_boards/run', { key, headers, body: { input: {} } });
  const [first, second] = [await run(foreign.key), await run(bootstrapKey)];
  expect(second.status).toBe(200);
  expect(second.body.runId).not.toBe(first.body.runId);
  expect(second.headers.get('idempotent-replayed')).toBeNull();
});

test('over MCP it is answered like an unknown one, wherever a tool takes an id', async () => {
  const tell = (name: string, given: object) =>
    bench.call('POST', '/mcp', {
      key: bootstrapKey,
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
    });
  const asked: [string, string, Kind][] = [
    ['board_get_boards', 'accountId', 'account'],
    ['board_get_boards', 'secretId', 'secret'],
    ['mail_list_folders', 'endUserId', 'endUser'],
    ['open_tool_of_own', 'account', 'account'],
    ['switchboard_get_run', 'runId', 'run'],
  ];
  for (const [name, argument, kind] of asked) {
    const said = async (id: string) => without(String((await tell(name, { [argument]: id })).body), id);
    const ofTheirs = await said(theirs[kind]);
    expect([name, ofTheirs]).toEqual([name, await said(unknownOf(theirs[kind]))]);
    expect([name, ofTheirs]).toEqual([name, expect.stringContaining('"isError":true')]);
    expect([name, await said(own[kind])]).toEqual([name, expect.not.stringContaining('"isError":true')]);
  }
});
