import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Fault } from '#kit';
import { guardedConnector } from '#upstream';
import { createAskModel } from './ask-model.ts';
import { endpointOf, modelProblems } from './endpoint.ts';
import { createModelFetch } from './model-fetch.ts';
import type { Endpoint, Question } from './port.ts';

type Asked = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };
type Reply = { status: number; body: string; headers?: Record<string, string> };

let server: Server;
let origin: string;
let asked: Asked[] = [];
let reply: Reply | 'never';

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => {
      text += part.toString();
    });
    request.on('end', () => {
      asked.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Asked['body'] });
      if (reply === 'never') return;
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  asked = [];
});

const key = 'sk-a-key-of-the-test';
const endpoint = (over: Partial<Endpoint> = {}): Endpoint => ({
  provider: 'anthropic',
  baseUrl: `${origin}/v1`,
  model: 'some-model',
  apiKey: key,
  ...over,
});
const question: Question = {
  system: 'Be kind.',
  task: 'A mail came.',
  tools: [{ name: 'answer', description: 'Answers.', schema: { type: 'object', properties: {} } }],
  before: [
    {
      text: 'Let me see.',
      calls: [
        { asked: { n: 0, name: 'answer', arguments: '{"body":"Hi"}' }, told: { output: { sent: true } } },
        {
          asked: { n: 1, name: '', arguments: 'nonsense' },
          told: { error: { code: 'invalid_input', message: 'No.' } },
        },
      ],
    },
  ],
};
const askBy = (allowPrivate: 'loopback' | false, stopping = new AbortController().signal) =>
  createAskModel({
    fetch: createModelFetch({ connect: guardedConnector({ allowPrivate, timeoutMs: 1_000 }) }),
    stopping,
  });
const ask = (over: Partial<Endpoint> = {}, deadlineMs = 5_000) =>
  askBy('loopback')(endpoint(over), question, deadlineMs);
const faultOf = async (asking: Promise<unknown>): Promise<Fault> => {
  const error: unknown = await asking.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof Fault)) throw new Error(`no Fault but ${String(error)}`);
  expect(JSON.stringify([error.message, error.details])).not.toContain(key);
  return error;
};

test('a provider of the other kind is asked in its own way', async () => {
  reply = {
    status: 200,
    body: JSON.stringify({
      type: 'message',
      id: 'msg_1',
      model: 'some-model-1',
      role: 'assistant',
      content: [
        { type: 'text', text: 'I answer.' },
        { type: 'tool_use', id: 'toolu_1', name: 'answer', input: { body: 'Hello' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 11, output_tokens: 7 },
    }),
  };
  expect(await ask()).toEqual({
    text: 'I answer.',
    calls: [{ name: 'answer', arguments: '{"body":"Hello"}' }],
    model: 'some-model-1',
    inputTokens: 11,
    outputTokens: 7,
    cut: false,
  });
  expect(asked).toMatchObject([{ path: '/v1/messages', headers: { 'x-api-key': key } }]);
  const [first] = asked;
  const { system, messages } = (first as Asked).body as {
    system: { text: string }[];
    messages: { role: string; content: object[] }[];
  };
  expect(system[0]?.text).toBe('Be kind.');
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(messages[1]?.content).toMatchObject([
    { type: 'text' },
    { type: 'tool_use', id: 'call_0', input: { body: 'Hi' } },
    { type: 'tool_use', id: 'call_1', name: 'unnamed', input: {} },
  ]);
  expect(messages[2]?.content).toMatchObject([
    { tool_use_id: 'call_0', content: '{"sent":true}' },
    { tool_use_id: 'call_1', content: 'Error (invalid_input): No.', is_error: true },
  ]);
});

test.each([
  ['a refused key', { status: 401, body: `{"error":{"message":"bad key ${key}"}}` }, 'forbidden', 'MODEL_API_KEY'],
  [
    'a refused request',
    { status: 400, body: `{"error":{"message":"too long ${key}"}}` },
    'upstream_rejected',
    'too long …',
  ],
  ['no patience', { status: 429, body: '{}', headers: { 'retry-after': '7' } }, 'rate_limited', 'patience'],
  ['trouble', { status: 529, body: 'busy' }, 'upstream_unavailable', '529'],
  [
    'another place',
    { status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } },
    'upstream_rejected',
    '307',
  ],
  ['no JSON', { status: 200, body: '<html>' }, 'upstream_unavailable', 'no way we know'],
  ['another shape', { status: 200, body: '{"choices":[]}' }, 'upstream_unavailable', 'no way we know'],
  ['far too much', { status: 200, body: ' '.repeat(4_000_001) }, 'upstream_rejected', 'too much'],
])('an answer that is %s becomes a failure that says what to do', async (_, answer, code, words) => {
  reply = answer;
  const fault = await faultOf(ask());
  expect([fault.code, fault.message]).toEqual([code, expect.stringContaining(words)]);
  if (code === 'rate_limited') expect(fault.retryAfterMs).toBe(7_000);
});

test('silence ends at the deadline, and when the process stops the run is left to another', async () => {
  reply = 'never';
  expect(await faultOf(ask({}, 50))).toMatchObject({
    code: 'upstream_unavailable',
    message: expect.stringContaining('in time'),
  });
  const stopping = new AbortController();
  const asking = askBy('loopback', stopping.signal)(endpoint(), question, 5_000);
  setTimeout(() => stopping.abort(), 20);
  expect((await faultOf(asking)).code).toBe('unavailable');
});

test('an address of the inner network is not called, by whatever provider', async () => {
  for (const provider of ['anthropic', 'openai-compatible'] as const) {
    const fault = await faultOf(askBy(false)(endpoint({ provider, baseUrl: `${origin}/inner` }), question, 5_000));
    expect(fault.code).toBe('forbidden');
  }
  expect(asked.filter(({ path }) => path.startsWith('/inner'))).toEqual([]);
});

test('a key goes to the address it was set with alone; what the workspace set comes first', () => {
  const settings = { provider: 'anthropic' as const, baseUrl: 'https://models.test/v1/', apiKey: key, name: 'own' };
  const house = { settings, own: undefined, plainLoopback: false };
  const runner = { type: 'model' as const, input: {}, maxTurns: 1, maxTokens: 1, maxSeconds: 1 };
  expect(endpointOf(runner, house)).toMatchObject({ baseUrl: 'https://models.test/v1', apiKey: key, model: 'own' });
  const elsewhere = { ...runner, model: 'x', baseUrl: 'https://models.test.evil.test/v1' };
  expect(endpointOf(elsewhere, house).apiKey).toBeUndefined();
  const other = { ...runner, model: 'x', provider: 'openai-compatible' as const, baseUrl: settings.baseUrl };
  expect(endpointOf(other, house).apiKey).toBeUndefined();
  const ofWorkspace = { ...settings, baseUrl: 'https://own.test', apiKey: 'theirs', name: 'first' };
  const both = { ...house, own: ofWorkspace };
  expect(endpointOf(runner, both)).toMatchObject({ baseUrl: 'https://own.test', apiKey: 'theirs', model: 'first' });
  expect(endpointOf({ ...runner, baseUrl: settings.baseUrl }, both).apiKey).toBe(key);
  expect(endpointOf(elsewhere, both).apiKey).toBeUndefined();
  for (const baseUrl of [
    'http://models.test',
    'https://10.0.0.1',
    'https://[::1]',
    'https://u:p@models.test',
    'file:///x',
  ]) {
    expect(modelProblems({ ...elsewhere, baseUrl }, house)).toMatchObject([{ field: 'runner.baseUrl' }]);
  }
});
