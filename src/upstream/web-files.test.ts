import type { LookupAddress, lookup } from 'node:dns';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { guardedConnector, mayReach } from './guard.ts';
import { webFileName } from './web-file-name.ts';
import { createWebFiles, type Loading } from './web-files.ts';

type Answer = (answer: ServerResponse) => void;
const asked: { path: string; headers: IncomingHttpHeaders }[] = [];
const answers = new Map<string, Answer>();
const server = createServer(({ url = '', headers }, answer) => {
  asked.push({ path: url, headers });
  (answers.get(url) ?? ((each) => each.writeHead(404).end()))(answer);
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked.length = 0;
  answers.clear();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Every name leads to this machine, or to where a test says. */
const webOf = (leadsTo = '127.0.0.1', allowPrivate: 'loopback' | false = 'loopback') => {
  const known: LookupAddress[] = [{ address: leadsTo, family: 4 }];
  const resolve = ((_, __, answer: (error: null, found: LookupAddress[]) => void) =>
    answer(null, known)) as typeof lookup;
  const connect = guardedConnector({ allowPrivate, timeoutMs: 2_000, resolve });
  const reach = (address: string) => mayReach(address, allowPrivate);
  const web = createWebFiles({
    web: { connect, mayReach: reach, plainLoopback: allowPrivate === 'loopback' },
    clock: systemClock(),
  });
  return Object.assign(web, { [Symbol.asyncDispose]: () => web.close() });
};

const load = async (address: string, how: Partial<Loading> & { leadsTo?: string; live?: boolean } = {}) => {
  await using web = webOf(how.leadsTo, how.live ? false : 'loopback');
  const pieces: Uint8Array[] = [];
  const calls: unknown[] = [];
  const file = await web.load(address, {
    create: ({ name, contentType }) => ({
      write: async (piece) => void pieces.push(piece),
      keep: async () => ({ ref: 'file_1', name, contentType, size: Buffer.concat(pieces).length }),
    }),
    maxBytes: 1_048_576,
    patienceMs: 10_000,
    signal: new AbortController().signal,
    onAnswer: (call) => calls.push(call),
    ...how,
  });
  return { ...file, text: Buffer.concat(pieces).toString(), calls };
};

test('a file comes with its name and type, and nothing of ours is sent for it', async () => {
  answers.set('/plan?sig=hush', (answer) =>
    answer
      .writeHead(200, {
        'content-type': 'Application/PDF; charset=x',
        'content-disposition': 'attachment; filename="../Plan 1.pdf"',
        'set-cookie': 'seen=1',
      })
      .end('pdf'),
  );
  expect(await load(`${origin}/plan?sig=hush#page`)).toMatchObject({
    name: 'Plan 1.pdf',
    contentType: 'application/pdf',
    text: 'pdf',
    // What is in the journal does not open it.
    calls: [{ from: `${origin}/plan`, status: 200 }],
  });
  expect(Object.keys(asked[0]?.headers ?? {}).sort()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});

test.each(['text/html\u00e9', 'text', `${'a'.repeat(128)}/b`])('what calls itself %s is any file', async (type) => {
  answers.set('/odd', (answer) => answer.writeHead(200, { 'content-type': type }).end());
  expect(await load(`${origin}/odd`)).toMatchObject({ contentType: 'application/octet-stream' });
});

test.each([
  ['https://a.example/x/report.csv?name=other', undefined, 'report.csv'],
  ['https://a.example/x/Ber%C3%ADcht%2F..%2Fb.csv', undefined, 'b.csv'],
  ['https://a.example/%E2%80%AEfdp.exe', undefined, 'fdp.exe'],
  ['https://a.example/%ff', undefined, 'file'],
  ['https://a.example/', undefined, 'file'],
  ['https://a.example/.htaccess', undefined, 'htaccess'],
  ['https://a.example/x', 'inline', 'x'],
  ['https://a.example/x', 'attachment; filename=plain.txt; size=3', 'plain.txt'],
  ['https://a.example/x', 'attachment; filename="a \\"b\\": c?.txt"', 'a _b__ c_.txt'],
  ['https://a.example/x', 'attachment; filename="C:\\\\dir\\\\a.txt"', 'a.txt'],
  ['https://a.example/x', `attachment; filename="a.txt"; filename*=UTF-8''%E2%82%AC.txt`, '€.txt'],
  ['https://a.example/x', `attachment; filename="a.txt"; filename*=UTF-8''%E2%8.txt`, 'a.txt'],
  ['https://a.example/x', `attachment; filename="${Buffer.from('Übersicht.txt').toString('latin1')}"`, 'Übersicht.txt'],
  ['https://a.example/x', 'attachment; filename=".."', 'x'],
  [`https://a.example/${'a'.repeat(400)}.pdf`, undefined, `${'a'.repeat(251)}.pdf`],
])('what is at %s with %s is called %s', (address, disposition, name) => {
  expect(webFileName(new URL(address), disposition)).toBe(name);
});

test('a redirect is followed, and the last address names the file', async () => {
  answers.set('/short', (answer) => answer.writeHead(302, { location: '/long/a.txt' }).end());
  answers.set('/long/a.txt', (answer) => answer.end('hello'));
  expect(await load(`${origin}/short`)).toMatchObject({ name: 'a.txt', text: 'hello' });
});

test.each([
  'http://10.0.0.1/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::ffff:a9fe:a9fe]/',
  'https://inside.example/',
  'https://user:word@127.0.0.1/',
  'http://elsewhere.example/',
  'file:///etc/passwd',
])('a redirect to %s is not followed', async (location) => {
  answers.set('/away', (answer) => answer.writeHead(307, { location }).end('moved'));
  await expect(load(`${origin}/away`, { leadsTo: '10.0.0.1' })).rejects.toThrow(
    /private network|https:\/\/|user name or password/,
  );
});

test('one that leads in circles is given up', async () => {
  answers.set('/round', (answer) => answer.writeHead(301, { location: '/round' }).end());
  await expect(load(`${origin}/round`)).rejects.toThrow('leads on and on');
  expect(asked).toHaveLength(6);
});

test.each([
  ['https://127.0.0.1/a', 'private network'],
  ['https://2130706433/a', 'private network'],
  ['https://10.1.2.3/a', 'private network'],
  ['https://[fd00::1]/a', 'private network'],
  ['https://inside.example/a?sig=hush', 'inside.example/a leads into a private network'],
  ['http://127.0.0.1/a', 'must begin with https://'],
  ['http://example.com/a?sig=hush', 'example.com/a is not loaded: its address must begin with https://'],
  ['ftp://example.com/a', 'must begin with https://'],
  ['https://user:hush@example.com/a', 'user name or password'],
  ['https://', 'no web address'],
])('%s is not loaded where the world is called, and its secrets are not told', async (address, why) => {
  const refused = load(address, { live: true, leadsTo: '192.168.0.1' });
  await expect(refused).rejects.toThrow(why);
  await expect(refused).rejects.not.toThrow('hush');
});

test('what cannot be had is told in words, without the query', async () => {
  answers.set('/large?sig=hush', (answer) => answer.writeHead(200, { 'content-length': 2_000_000 }).end());
  answers.set('/endless?sig=hush', (answer) => {
    answer.write(Buffer.alloc(900_000));
    answer.end(Buffer.alloc(900_000));
  });
  answers.set('/packed?sig=hush', (answer) =>
    answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(9_000))),
  );
  answers.set('/broken?sig=hush', (answer) => {
    answer.writeHead(200, { 'content-length': 10 });
    answer.write('half', () => answer.destroy());
  });
  answers.set('/silent?sig=hush', () => {});
  const why = async (name: string, how: Partial<Loading> = {}) => {
    const told = await load(`${origin}/${name}?sig=hush`, how).then(String, (error: Error) => error.message);
    return told.replace(/^127\.0\.0\.1:\d+\//, '');
  };
  expect(await why('none')).toBe('none could not be loaded: it answered 404.');
  expect(await why('large')).toBe('large is too large: at most 1 MB more may be loaded for this step.');
  expect(await why('endless')).toBe('endless is too large: at most 1 MB more may be loaded for this step.');
  expect(await why('packed')).toContain('packed could not be loaded: it comes packed');
  expect(await why('broken')).toBe('broken could not be loaded: the connection failed.');
  expect(await why('silent', { patienceMs: 20 })).toBe('silent could not be loaded: it takes too long.');
});

test('trouble in keeping it is no trouble of the address, and a process that ends leaves it to another', async () => {
  answers.set('/a', (answer) => answer.end('a'));
  const storage = new Error('storage is away');
  const create = () => ({ write: () => Promise.reject(storage), keep: () => Promise.reject(storage) });
  await expect(load(`${origin}/a`, { create })).rejects.toBe(storage);
  await expect(load(`${origin}/a`, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'unavailable' });
});
