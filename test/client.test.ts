import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { bootstrapKey, type Workbench, workbench } from '#test';
import { connectAndRun } from '../client/examples/connect-and-run.ts';
import {
  type AccountChoice,
  type Client,
  createClient,
  type ErrorDetails,
  liveEvents,
  type NewConnect,
  type SwitchboardError,
} from '../client/src/index.ts';
import { readDocument } from '../scripts/client/document.ts';
import { moduleOf, typeOf } from '../scripts/client/types-of.ts';
import { integrations } from '../src/integrations/index.ts';

let bench: Workbench;
let client: Client;
beforeAll(async () => {
  bench = await workbench();
  client = createClient({ origin: bench.origin, apiKey: bootstrapKey });
});
afterAll(() => bench[Symbol.asyncDispose]());

test('the types are those of the API; `npm run client` makes them anew', () => {
  const made = readFileSync(path.join(import.meta.dirname, '../client/src/generated/routes.ts'), 'utf8');
  expect(moduleOf(readDocument())).toBe(made);
});

test('the example connects a board of an end user and runs a tool with it', async () => {
  bench.board.consent.current = { mode: 'auto', as: 'ada' };
  let visited: Promise<unknown> = Promise.resolve();
  const output = await connectAndRun(client, 'customer-1', (line) => {
    const link = /https?:\S+/.exec(line)?.[0];
    if (link !== undefined) visited = bench.visitor().visit(link);
  });
  await visited;
  expect(JSON.stringify(output)).toContain('Launch');
});

test('a refusal has the code and the message of the server', async () => {
  await expect(client.call('GET /v1/tools/{id}', { params: { id: 'tool_nowhere' } })).rejects.toMatchObject({
    name: 'SwitchboardError',
    status: 404,
    code: 'not_found',
    message: expect.stringContaining('tool'),
    requestId: expect.stringMatching(/^req_/),
  });
  const nowhere = createClient({ origin: 'http://127.0.0.1:9' });
  await expect(nowhere.call('GET /v1/tools')).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  const write = nowhere.call('POST /v1/api-keys', { body: { name: 'x', scopes: ['read'] } });
  await expect(write).rejects.toThrow('The server does not answer; what was asked for may have happened.');
});

test('an answer that breaks off is a refusal like the others, and hanging up is none', async () => {
  const cut = (first: string): Response => {
    const parts = [new TextEncoder().encode(first)];
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const part = parts.shift();
      if (part === undefined) controller.error(new TypeError('terminated'));
      else controller.enqueue(part);
    };
    return new Response(new ReadableStream({ pull }), { headers: { 'content-type': 'application/json' } });
  };
  const cutting = createClient({ origin: bench.origin, fetch: async () => cut('{"items":[') });
  const broken = { name: 'SwitchboardError', status: 0, code: 'unreachable' };
  const message = "The server's answer could not be read to its end. Try again later.";
  await expect(cutting.call('GET /v1/tools')).rejects.toMatchObject({ ...broken, message });
  const write = cutting.call('POST /v1/tools', { body: { name: 'x', inputs: [], steps: [] } });
  await expect(write).rejects.toThrow('may have happened');
  await expect(cutting.all('GET /v1/tools').next()).rejects.toMatchObject(broken);
  const stream = createClient({ origin: bench.origin, fetch: async () => cut('data: 1\n\n') }).live('GET /v1/stream');
  expect((await stream.next()).value.data).toBe(1);
  await expect(stream.next()).rejects.toMatchObject(broken);
  await expect(cutting.call('GET /v1/tools', { signal: AbortSignal.abort() })).rejects.toThrow('terminated');
});

test('a list is walked to its end, and a value in a path stays in its segment', async () => {
  for (const name of ['a', 'b', 'c']) await client.call('POST /v1/api-keys', { body: { name, scopes: ['read'] } });
  const names: string[] = [];
  for await (const { name } of client.all('GET /v1/api-keys', { query: { limit: 1 } })) names.push(name);
  expect(names).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  const sly = client.call('GET /v1/accounts/{id}', { params: { id: '../tools?limit=1' } });
  await expect(sly).rejects.toMatchObject({ status: 400, message: expect.stringContaining('id') });
});

test('a file comes as it was stored, also one that holds JSON', async () => {
  const stored = await client.call('POST /v1/files', {
    query: { name: 'plan.json' },
    body: new Blob(['{"a":  1}'], { type: 'application/json' }),
  });
  const content = await client.call('GET /v1/files/{id}', { params: { id: stored.id } });
  expect([await content.text(), content.type]).toEqual(['{"a":  1}', 'application/json']);
});

test('a path takes numbers', async () => {
  const params = { id: 'apr_nowhere', place: 0 };
  const asked = client.call('GET /v1/approvals/{id}/attachments/{place}', { params });
  await expect(asked).rejects.toMatchObject({ status: 404, code: 'not_found' });
});

test('a typed credential has fields of its own, and an offer to connect can be sent as it is', async () => {
  const { key, token } = await bench.keyAndToken();
  const body = { integration: 'board', auth: { type: 'key_token', key, token } };
  const account = await client.call('POST /v1/accounts', { body });
  expect(account.state).toBe('connected');
  expectTypeOf<NonNullable<AccountChoice['step']>['connect']>().toEqualTypeOf<NewConnect | undefined>();
  expectTypeOf<SwitchboardError['details']>().toEqualTypeOf<ErrorDetails | undefined>();
  expectTypeOf<ErrorDetails['connect']>().toEqualTypeOf<NewConnect | undefined>();
});

test('the description admits null where answers have it', () => {
  const { ApiKey, Approval, OwnWorkspace } = readDocument().components.schemas;
  expect(typeOf(ApiKey ?? {})).toContain('lastUsedAt: (string | null)');
  expect(typeOf(Approval ?? {})).toContain('decidedBy: (Actor | null)');
  expect(typeOf(OwnWorkspace ?? {})).toContain('role: (Role | null)');
});

test('what narrows a drop-down can be asked for, whichever picker takes it', () => {
  const { parameters = [] } = readDocument().paths['/v1/options/{id}']?.['get'] ?? {};
  const known = new Set(parameters.map(({ name }) => name));
  const taken = integrations.flatMap(({ pickers }) => pickers.flatMap(({ query }) => Object.keys(query.shape)));
  expect(taken).toContain('board');
  expect(taken.filter((name) => !known.has(name))).toEqual([]);
});

test('schemas become types: references, choices, lists, optional and unknown fields', () => {
  const schema = {
    type: 'object',
    required: ['a-b'],
    properties: {
      'a-b': { anyOf: [{ $ref: '#/components/schemas/Role' }, { type: 'null' }] },
      list: { type: 'array', items: { enum: ['x', 1] } },
      any: {},
      loose: { type: 'object', properties: { type: { type: 'string' } }, additionalProperties: {} },
    },
  };
  expect(typeOf(schema).replaceAll(/\s+/g, ' ')).toBe(
    '{ "a-b": (Role | null); list?: Array<("x" | 1)>; any?: unknown; loose?: { type?: string; [name: string]: unknown; }; }',
  );
});

test('whoever has seen enough of a live stream hangs up', async () => {
  let left = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\ndata: 2\n\n')),
    cancel: () => {
      left = true;
    },
  });
  for await (const event of liveEvents(body)) if (event.data === 1) break;
  expect(left).toBe(true);
});

test('live events are read across chunks, comments left out', async () => {
  const parts = [': hello\n\nevent: run\nid: 7\nda', 'ta: {"a":\ndata: 1}\n\n', 'data: 2\r\n\r\n', 'data: cut off'];
  const bytes = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(bytes.encode(part));
      controller.close();
    },
  });
  const seen = [];
  for await (const event of liveEvents(body)) seen.push(event);
  expect(seen).toEqual([
    { event: 'run', id: '7', data: { a: 1 } },
    { event: 'message', id: undefined, data: 2 },
  ]);
});
