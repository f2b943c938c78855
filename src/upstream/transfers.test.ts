import { describe, expect, test } from 'vitest';
import { path } from '#kit';
import { uploadTarget } from './cage.ts';
import { failureOf, newClient, upstreamServer } from './upstream-server.fixture.ts';

describe('a part of an upload', () => {
  test('goes to the named address with its range and without any credential', async () => {
    await using upstream = await upstreamServer((_, response) => response.writeHead(201, { Location: "x('7')" }).end());
    const address = `${upstream.origin}/elsewhere/session?authtoken=secret`;

    const answer = await newClient().upload(
      { address, bytes: Buffer.from('cdef'), from: 2, total: 6 },
      { base: new URL(`${upstream.origin}/v1.0`) },
    );

    const [seen] = upstream.seen;
    expect([seen?.method, seen?.url, seen?.body.toString()]).toEqual([
      'PUT',
      '/elsewhere/session?authtoken=secret',
      'cdef',
    ]);
    expect(seen?.headers).toMatchObject({ 'content-range': 'bytes 2-5/6', 'content-length': '4' });
    expect(seen?.headers).not.toHaveProperty('authorization');
    expect(seen?.headers).not.toHaveProperty('cookie');
    expect(answer).toMatchObject({ status: 201, headers: { location: "x('7')" } });
  });

  const live = new URL('https://mail.example/v1.0');
  const sandbox = new URL('http://127.0.0.1:4610/v1.0');
  test.each([
    [live, 'https://uploads.example/a?b=c'],
    [sandbox, 'http://localhost:4610/a'],
    [sandbox, 'https://uploads.example/a'],
  ])('of %s may go to %s', (base, address) => {
    expect(uploadTarget(base, address).origin).toBe(new URL(address).origin);
  });

  test.each([
    [live, 'http://uploads.example/a'],
    [live, 'http://mail.example/v1.0/a'],
    [live, 'http://localhost:443/a'],
    [live, 'https://ada:secret@uploads.example/a'],
    [live, 'file:///etc/passwd'],
    [live, '/a'],
    [sandbox, 'http://localhost:4611/a'],
    [sandbox, 'http://uploads.example:4610/a'],
    [new URL('http://mail.example:4610/'), 'http://localhost:4610/a'],
  ])('of %s never goes to %s', (base, address) => {
    expect(() => uploadTarget(base, address)).toThrow(/cannot be used/);
  });
});

describe('a download', () => {
  const size = 3_000_000;
  const ask = (origin: string, more: object) =>
    newClient().call({
      base: new URL(origin),
      request: { method: 'GET', path: path`/file` },
      headers: {},
      ...more,
    });

  test('is handed on piece by piece, the next only when the last was taken', async () => {
    await using upstream = await upstreamServer((_, response) => response.end(Buffer.alloc(size, 7)));
    let [bytes, busy, most] = [0, 0, 0];
    const into = async (chunk: Uint8Array) => {
      most = Math.max(most, (busy += 1));
      await new Promise((resolve) => setImmediate(resolve));
      busy -= 1;
      bytes += chunk.length;
    };
    expect(await ask(upstream.origin, { into, maxBytes: size })).toMatchObject({ status: 200, body: null });
    expect([bytes, most]).toEqual([size, 1]);
    expect((await failureOf(ask(upstream.origin, { into, maxBytes: size - 1 }))).code).toBe('too_large');
  });

  test('holds the credential nowhere that it was asked with, neither do the headers of any answer', async () => {
    const token = 'abcdefgh12345678';
    await using upstream = await upstreamServer((request, response) => {
      const said = String(request.headers.authorization);
      response.writeHead(200, { Location: `/x?${said}`, 'Content-Type': 'text/plain' });
      response.write(said.slice(0, 12));
      setImmediate(() => response.end(`${said.slice(12)}, again`));
    });
    const taken: Uint8Array[] = [];
    const into = async (piece: Uint8Array) => void taken.push(piece);
    const answer = await ask(upstream.origin, { headers: { authorization: `Bearer ${token}` }, into });
    expect(Buffer.concat(taken).toString()).toBe('Bearer [secret], again');
    expect(answer.headers['location']).toBe('/x?Bearer [secret]');
  });

  test('ends where it cannot be kept, and a refusal is answered instead of kept', async () => {
    await using upstream = await upstreamServer((_, response) => {
      if (upstream.seen.length > 1) response.statusCode = 404;
      response.end(Buffer.alloc(size, 7));
    });
    const into = () => Promise.reject(new Error('no room'));
    await expect(ask(upstream.origin, { into })).rejects.toThrow('no room');
    expect(await ask(upstream.origin, { into })).toMatchObject({ status: 404, bytes: size });
  });
});
