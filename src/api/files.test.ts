import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootstrapKey, type Workbench, workbench } from '#test';

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
  expect(stored).toMatchObject({ size: 60_000, contentType: 'text/html' });
  const answer = await fetch(`${bench.origin}/v1/files/${stored.ref}`, {
    headers: { authorization: `Bearer ${bootstrapKey}` },
  });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
  expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''na%C3%AFve%20%22plan%22.html");
  expect(answer.headers.get('content-security-policy')).toContain('sandbox');
});

test('a file over 25 MB is refused', async () => {
  const answer = await upload(new Uint8Array(25 * 1024 * 1024 + 1), 'large.bin');
  expect(answer.status).toBe(413);
});

test('a file without a name is refused, and an odd content type is not kept', async () => {
  expect((await upload(new Uint8Array(3), ' ')).status).toBe(400);
  const stored = (await (await upload(new Uint8Array(3), 'x', 'text/html\tx')).json()) as { contentType: string };
  expect(stored.contentType).toBe('application/octet-stream');
});
