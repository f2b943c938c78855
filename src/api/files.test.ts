import { IncomingMessage, request } from 'node:http';
import { Socket } from 'node:net';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createFiles, maxFileBytes, partBytes } from '#runs';
import { openStore } from '#store';
import { bootstrapKey, type Workbench, workbench } from '#test';
import type { Env } from './env.ts';
import { fileRoutes } from './routes/files.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const upload = (bytes: Uint8Array<ArrayBuffer>, name: string, type?: string) =>
  fetch(`${bench.origin}/v1/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}`, ...(type === undefined ? {} : { 'content-type': type }) },
    body: bytes,
  });

test('a file comes back byte for byte, as a download that the browser does not run', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const stored = (await (await upload(bytes, 'naïve "plan".html', 'text/html')).json()) as {
    ref: string;
    size: number;
  };
  expect(stored).toMatchObject({ id: stored.ref, size: 60_000, contentType: 'text/html' });
  const answer = await fetch(`${bench.origin}/v1/files/${stored.ref}`, {
    headers: { authorization: `Bearer ${bootstrapKey}` },
  });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
  expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''na%C3%AFve%20%22plan%22.html");
  expect(answer.headers.get('content-security-policy')).toContain('sandbox');
});

test('a form around a file is refused with how to send the file: its envelope would be what arrives', async () => {
  const form = new FormData();
  form.append('file', new Blob(['hello']), 'a.txt');
  const answer = await fetch(`${bench.origin}/v1/files?name=a.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bootstrapKey}` },
    body: form,
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: 'invalid_input', message: expect.stringContaining('itself as the body') } },
  ]);
  const unnamed = await bench.owned('POST', '/v1/files', { name: 'a.txt' });
  const message = 'must be given in the address, as ?name=plan.pdf';
  expect(unnamed.body.error.details.fields).toEqual([{ field: 'name', message }]);
});

test('repeated with its key a file is kept once; another file, or another name, is another request', async () => {
  const keyed = async (text: string, name: string) => {
    const answer = await fetch(`${bench.origin}/v1/files?name=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bootstrapKey}`, 'idempotency-key': 'a file' },
      body: text,
    });
    return { status: answer.status, body: (await answer.json()) as { error?: { message: string } } };
  };
  const first = await keyed('one', 'a.txt');
  expect(await keyed('one', 'a.txt')).toEqual({ status: 201, body: first.body });
  for (const [text, name] of [
    ['two', 'a.txt'],
    ['one', 'b.txt'],
  ] as const) {
    const { status, body } = await keyed(text, name);
    expect([status, body.error?.message]).toEqual([409, expect.stringContaining('used for another request')]);
  }
});

const content = (ref: string) =>
  fetch(`${bench.origin}/v1/files/${ref}`, { headers: { authorization: `Bearer ${bootstrapKey}` } });

test.each([0, 1, partBytes - 1, partBytes, partBytes + 1, 26 * 1024 * 1024])(
  'a file of %d bytes comes back whole',
  async (size) => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 997) bytes[at] = at % 251;
    const stored = (await (await upload(bytes, 'f.bin')).json()) as { ref: string; size: number };
    expect(stored.size).toBe(size);
    const answer = await content(stored.ref);
    expect(answer.headers.get('content-length')).toBe(String(size));
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  },
);

test('a file over 150 MB is refused before it is sent', async () => {
  const status = await new Promise((resolve, reject) => {
    const sending = request(`${bench.origin}/v1/files?name=large.bin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bootstrapKey}`, 'content-length': maxFileBytes + 1 },
    });
    sending.on('response', ({ statusCode }) => {
      resolve(statusCode);
      sending.destroy();
    });
    sending.on('error', reject);
    sending.flushHeaders();
  });
  expect(status).toBe(413);
});

test('a file is kept in parts, seen only once it is complete, and refused where it grows too large', async () => {
  await using store = Object.assign(openStore({ connectionString: bench.connectionString, max: 1, log: silentLog }), {
    [Symbol.asyncDispose]: () => store.close(),
  });
  const { body: workspace } = await bench.owned('GET', '/v1/workspace');
  const files = createFiles({ store, clock: systemClock() }).of(workspace.id);
  const file = files.create({ name: 'slow.bin', contentType: 'application/octet-stream' });
  for (let part = 0; part < 3; part += 1) await file.write(Buffer.alloc(partBytes - 1, part));

  const known = await store.of(workspace.id).selectFrom('files').select('id').where('name', '=', 'slow.bin').execute();
  await expect(files.about(known[0]?.id ?? '')).rejects.toThrow('no such file');
  const { ref, size } = await file.keep();
  expect(size).toBe(3 * (partBytes - 1));
  expect([...(await files.slice(ref, partBytes - 3, partBytes + 1))]).toEqual([0, 0, 1, 1]);

  const large = files.create({ name: 'large.bin', contentType: 'application/octet-stream' });
  await expect(large.write(Buffer.allocUnsafe(maxFileBytes + 1))).rejects.toMatchObject({ code: 'too_large' });
});

test('of two files that come for the same, in one piece or in several, the first is kept and answered for both', async () => {
  await using store = Object.assign(openStore({ connectionString: bench.connectionString, max: 1, log: silentLog }), {
    [Symbol.asyncDispose]: () => store.close(),
  });
  const { body: workspace } = await bench.owned('GET', '/v1/workspace');
  const files = createFiles({ store, clock: systemClock() });
  const both = async (gatheredFor: string, content: readonly [Buffer, Buffer]) => {
    const where = { workspaceId: workspace.id, accountId: 'acc_1', gatheredFor };
    const made = content.map((_, at) => files.gather(where, { name: `${at}.bin`, contentType: 'text/plain' }));
    for (const [at, file] of made.entries()) await file.write(content[at] as Buffer);
    expect(await files.gathered(where)).toBeUndefined();
    const kept = [await made[0]?.keep(), await made[1]?.keep()];
    expect(await files.gathered(where)).toEqual(kept[0]);
    return kept.map((file) => file?.name);
  };
  expect(await both('small', [Buffer.from('a'), Buffer.from('b')])).toEqual(['0.bin', '0.bin']);
  const large = Buffer.alloc(partBytes + 1);
  expect(await both('large', [large, large])).toEqual(['0.bin', '0.bin']);
});

test('a file without a name is refused, and an odd content type is not kept', async () => {
  expect((await upload(new Uint8Array(3), ' ')).status).toBe(400);
  const stored = (await (await upload(new Uint8Array(3), 'x', 'text/html\tx')).json()) as { contentType: string };
  expect(stored.contentType).toBe('application/octet-stream');
});

test('a file may come for as long as something comes', async () => {
  const kept = { ref: 'file_1', name: 'a', contentType: 'text/plain', size: 0 };
  const create = () => ({ write: async () => {}, keep: async () => kept });
  const app = new Hono<Env>()
    .use((c, next) => {
      c.set('body', '');
      c.set('caller', { workspaceId: 'ws_1', scopes: ['run'] } as never);
      return next();
    })
    .route('/', fileRoutes({ of: () => ({ create }) } as never));
  const incoming = new IncomingMessage(new Socket());
  const answer = app.request('/v1/files?name=a', { method: 'POST' }, { incoming });
  await expect.poll(() => incoming.socket.timeout).toBe(30_000);
  incoming.push(null);
  expect((await answer).status).toBe(201);
});
