import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault, parseEndpoint, path, queryOf, type UpstreamRequest } from '#kit';
import { toUpstream } from './short-forms.ts';
import { failureOf, get, newClient, post, upstreamServer } from './upstream-server.fixture.ts';

test('a signed call arrives as it was meant and its answer comes back parsed', async () => {
  await using upstream = await upstreamServer((_, response) => {
    response.writeHead(201, { 'Content-Type': 'application/json; charset=utf-8', ETag: '"1"', 'Set-Cookie': 'a=b' });
    response.end('{"id":"7","name":"grüße"}');
  });
  const answer = await newClient().call({
    base: new URL(`${upstream.origin}/v1.0`),
    request: {
      method: 'POST',
      path: path`/lists/${'a/b c'}/cards`,
      query: { $top: 5, deep: true, ids: ['1', '2'], none: null, text: 'a&b=c+d "é"' },
      headers: { Prefer: 'IdType="ImmutableId"' },
      body: { name: 'Bread' },
    },
    headers: { Authorization: 'Bearer secret' },
  });

  const [seen] = upstream.seen;
  expect(seen?.method).toBe('POST');
  expect(seen?.url).toBe('/v1.0/lists/a%2Fb%20c/cards?$top=5&deep=true&ids=1&ids=2&text=a%26b%3Dc%2Bd%20%22%C3%A9%22');
  expect(seen?.headers).toMatchObject({
    authorization: 'Bearer secret',
    prefer: 'IdType="ImmutableId"',
    'content-type': 'application/json',
    'content-length': '16',
  });
  expect(seen?.body.toString()).toBe('{"name":"Bread"}');
  expect(answer).toMatchObject({ status: 201, body: { id: '7', name: 'grüße' }, bytes: 27, headers: { etag: '"1"' } });
  expect(answer.headers).not.toHaveProperty('set-cookie');
});

test('odd but legal text reaches the service unchanged, encoded exactly once', async () => {
  await using upstream = await upstreamServer();
  const client = newClient();
  const base = new URL(`${upstream.origin}/v1.0`);
  const odd = fc
    .string({
      unit: fc.oneof(
        fc.constantFrom(...`"'@$ %&=+/\\?#:;,<>{}|^\`[]é日`.split(''), '😀'),
        fc.string({ unit: 'grapheme', maxLength: 1, minLength: 1 }),
      ),
      minLength: 1,
      maxLength: 10,
    })
    .filter((text) => text.isWellFormed() && !/^\.+$/.test(text) && !/(^|[/\\])\.{1,2}([/\\;]|$)/.test(text));
  await fc.assert(
    fc.asyncProperty(odd, odd, odd, async (id, name, value) => {
      await client.call({
        base,
        request: { method: 'GET', path: path`/a/${id}/b`, query: { [name]: value } },
        headers: {},
      });
      const byStep = new URL(upstream.seen.pop()?.url ?? '', upstream.origin);
      expect(decodeURIComponent(byStep.pathname.split('/')[3] ?? '')).toBe(id);
      expect([...byStep.searchParams]).toEqual([[name, value]]);

      const typed = parseEndpoint(
        `/a/${encodeURIComponent(id)}/b?${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
      );
      await client.call({
        base,
        request: { method: 'GET', path: typed.path, query: queryOf(typed.query) },
        headers: {},
      });
      const byHand = new URL(upstream.seen.pop()?.url ?? '', upstream.origin);
      expect(decodeURIComponent(byHand.pathname.split('/')[3] ?? '')).toBe(id);
      expect([...byHand.searchParams]).toEqual([[name, value]]);
    }),
    { numRuns: 300 },
  );
});

test('whatever is asked for, one server is called and below its base', async () => {
  await using upstream = await upstreamServer();
  await using elsewhere = await upstreamServer();
  const client = newClient();
  const base = new URL(`${upstream.origin}/base`);
  const pieces = [
    '/',
    '..',
    '%2e',
    '\\',
    '@',
    '?',
    '#',
    `127.0.0.1:${elsewhere.port}`,
    elsewhere.origin,
    'x',
    '%2f',
    ' ',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      text,
      fc.constantFrom('host', 'prefer', 'x-forwarded-host', 'authorization'),
      async (endpoint, id, value, header) => {
        const attempts: (() => UpstreamRequest)[] = [
          () => get(`/${endpoint}`),
          () => ({ method: 'GET', ...parseEndpoint(`/${endpoint}`), query: { value } }),
          () => ({ method: 'GET', path: path`/${id}`, headers: { [header]: value } }),
        ];
        for (const attempt of attempts) {
          try {
            await client.call({ base, request: attempt(), headers: { authorization: 'ours' } });
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_input' });
          }
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(elsewhere.seen).toEqual([]);
  expect(upstream.seen.length).toBeGreaterThan(50);
  for (const { url, headers } of upstream.seen) {
    expect(new URL(url, upstream.origin).pathname).toMatch(/^\/base\//);
    expect(headers).toMatchObject({ host: base.host, authorization: 'ours' });
  }
});

test.each([
  'Host',
  'authorization',
  'Cookie',
  'Transfer-Encoding',
  'Content-Length',
  'X-HTTP-Method-Override',
  // Of one service, whose signing sets it.
  'X-Trello-Client-Identifier',
  'evil\r\nx',
  '__proto__',
])('the header %j cannot be set by a request', async (name) => {
  const headers = Object.fromEntries([[name, 'x']]);
  const call = newClient().call({ base: new URL('http://127.0.0.1:1'), request: { ...get(), headers }, headers: {} });
  expect(await failureOf(call)).toMatchObject({ code: 'invalid_input' });
});

test('a header value cannot end its line, and a signing header cannot be replaced', async () => {
  await using upstream = await upstreamServer();
  const client = newClient();
  const base = new URL(upstream.origin);
  const broken = { ...get(), headers: { prefer: 'a\r\nhost: evil' } };
  expect(await failureOf(client.call({ base, request: broken, headers: {} }))).toMatchObject({ code: 'invalid_input' });

  await client.call({ base, request: { ...get(), headers: { Accept: 'theirs' } }, headers: { ACCEPT: 'ours' } });

  expect(upstream.seen.map(({ headers }) => headers.accept)).toEqual(['ours']);
});

describe('an answer', () => {
  test.each([301, 302, 303, 307, 308])('that redirects (%i) is passed on and not followed', async (status) => {
    await using elsewhere = await upstreamServer();
    await using upstream = await upstreamServer((_, response) =>
      response.writeHead(status, { location: elsewhere.origin }).end(),
    );
    const client = newClient();
    const call = (request: UpstreamRequest) => client.call({ base: new URL(upstream.origin), request, headers: {} });

    expect(await call(get())).toMatchObject({ status, headers: { location: elsewhere.origin } });
    const short = toUpstream(call, () => new Fault('internal', 'not asked'));
    expect(await failureOf(short.get(path`/x`))).toMatchObject({ code: 'upstream_rejected' });
    expect(elsewhere.seen).toEqual([]);
  });

  test('of any status comes back as it is; the short forms turn refusals into Faults', async () => {
    await using upstream = await upstreamServer(({ url }, response) =>
      response.writeHead(Number(url.slice(1))).end('why'),
    );
    const client = newClient();
    const call = (request: UpstreamRequest) => client.call({ base: new URL(upstream.origin), request, headers: {} });
    for (const status of [200, 404, 429, 500, 504]) {
      expect(await call(get(`/${status}`))).toMatchObject({ status, body: 'why' });
    }
    const short = toUpstream(call, ({ status, body }) => new Fault('upstream_rejected', `${status} ${String(body)}`));
    expect(await short.get(path`/200`)).toBe('why');
    await expect(short.post(path`/409`)).rejects.toThrow('409 why');
  });

  test.each([
    ['application/json', '', null],
    ['application/json', '{"a":', '{"a":'],
    ['application/problem+json', '{"a":1}', { a: 1 }],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['application/json', '['.repeat(100_000) + ']'.repeat(100_000), '['.repeat(100_000) + ']'.repeat(100_000)],
    ['image/png', Buffer.from([0x89, 0xff, 0x00]), 'data:image/png;base64,if8A'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xe9]), 'é'],
  ])('of type %s is read as what it says it is', async (type, sent, expected) => {
    await using upstream = await upstreamServer((_, response) =>
      response.writeHead(200, { 'content-type': type }).end(sent),
    );
    const { body } = await newClient().call({ base: new URL(upstream.origin), request: get(), headers: {} });
    expect(body).toEqual(expected);
  });

  test.each([true, false])('larger than allowed ends the call (length declared: %s)', async (declared) => {
    await using upstream = await upstreamServer((_, response) => {
      if (declared) response.setHeader('content-length', 5_000);
      for (let n = 0; n < 50; n += 1) response.write(Buffer.alloc(100));
      response.end();
    });
    const call = (request: UpstreamRequest) =>
      newClient().call({ base: new URL(upstream.origin), request, headers: {}, maxBytes: 4_999 });
    const message = 'The answer of the service is larger than 4,999 bytes. Ask for fewer items or fields.';
    expect(await failureOf(call(get()))).toMatchObject({ code: 'too_large', message });
    expect(await failureOf(call(post()))).toMatchObject({ code: 'outcome_unknown', details: { status: 200 } });
  });
});

describe('a body', () => {
  test('of bytes or of declared text is sent as it is', async () => {
    await using upstream = await upstreamServer();
    const client = newClient();
    const send = (body: unknown, type?: string) =>
      client.call({
        base: new URL(upstream.origin),
        request: { ...post(body), ...(type === undefined ? {} : { headers: { 'Content-Type': type } }) },
        headers: {},
      });
    await send(Buffer.from([1, 2, 3]));
    await send('plain words', 'text/plain');
    await send('a json text');
    await send('é', 'text/plain; charset="UTF-8"');
    expect(await failureOf(send({ a: 1 }, 'text/plain'))).toMatchObject({ code: 'invalid_input' });
    // Read as UTF-7, what follows the plus would end the text and begin another field.
    for (const type of [
      'application/json; charset=utf-7',
      'application/json;charset=utf-8x',
      'text/plain; CHARSET=latin1',
    ]) {
      expect(await failureOf(send({ a: 'b+ACI-' }, type))).toMatchObject({ code: 'invalid_input' });
    }
    expect(upstream.seen.map(({ headers, body }) => [headers['content-type'], body.toString('latin1')])).toEqual([
      ['application/octet-stream', '\u0001\u0002\u0003'],
      ['text/plain', 'plain words'],
      ['application/json', '"a json text"'],
      ['text/plain; charset="UTF-8"', 'Ã©'],
    ]);
  });

  test('has no place in a GET', async () => {
    const call = newClient().call({
      base: new URL('http://127.0.0.1:1'),
      request: { ...get(), body: {} },
      headers: {},
    });
    expect(await failureOf(call)).toMatchObject({ code: 'invalid_input' });
  });
});

test('many calls at once each get their own answer, over no more connections than allowed', async () => {
  const sockets = new Set<Socket>();
  await using upstream = await upstreamServer(({ url, body }, response, socket) => {
    sockets.add(socket);
    setTimeout(() => response.end(`${url} ${body.toString()}`), Math.random() * 3);
  });
  const client = newClient({ connections: 8 });
  const base = new URL(upstream.origin);
  const calls = Array.from({ length: 120 }, (_, n) =>
    client.call({ base, request: { method: 'POST', path: path`/n/${n}`, body: n }, headers: {} }),
  );

  const bodies = (await Promise.all(calls)).map(({ body }) => body);

  expect(bodies).toEqual(Array.from({ length: 120 }, (_, n) => `/n/${n} ${n}`));
  expect(sockets.size).toBeLessThanOrEqual(8);
  expect(upstream.seen).toHaveLength(120);
});

test('answers that come in one turn go on abreast', async () => {
  const waiting: ServerResponse[] = [];
  await using upstream = await upstreamServer((_, response) => {
    waiting.push(response);
    if (waiting.length === 2) for (const each of waiting.splice(0)) each.end('here');
  });
  const client = newClient();
  const seen: string[] = [];
  const ask = async (): Promise<void> => {
    await client.call({ base: new URL(upstream.origin), request: get(), headers: {} });
    seen.push('is answered');
    await Promise.resolve();
    seen.push('goes on');
  };
  const askTwo = async (): Promise<string[]> => {
    seen.length = 0;
    await Promise.all([ask(), ask()]);
    return [...seen];
  };

  // A busy machine may bring them in two turns.
  await expect.poll(askTwo).toEqual(['is answered', 'is answered', 'goes on', 'goes on']);
});
