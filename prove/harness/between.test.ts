import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFront } from './front.ts';
import { lies, startLiar } from './liar.ts';

let status = 200;
let asked = 0;
const service = createServer((incoming, outgoing) => {
  asked += 1;
  incoming.resume();
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end('{"id":"1234"}');
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  ({ port } = service.address() as AddressInfo);
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

test('the liar changes what it was told to lie about and leaves the rest', async () => {
  const liar = await startLiar(port);
  const read = async (path: string, method = 'GET') => {
    const answer = await fetch(`${liar.url}${path}`, { method, redirect: 'manual' }).catch(() => undefined);
    return [answer?.status, await answer?.text().catch(() => 'broken')];
  };
  const told = async (kind: string, method?: string) => {
    liar.tell(lies[kind], /\/about/);
    return read('/about', method);
  };
  expect(await told('half of the data')).toEqual([200, '{"id":']);
  expect(await told('failed, but done', 'POST')).toEqual([500, expect.stringContaining('error')]);
  const before = asked;
  expect(await told('done, but nothing was', 'POST')).toEqual([202, '']);
  expect(asked).toBe(before);
  expect(await told('a connection that breaks in the middle')).toEqual([200, 'broken']);
  expect(await read('/elsewhere')).toEqual([200, '{"id":"1234"}']);
  expect(liar.struck()).toBe(4);
  liar.close();
});

test('the front knows which notifications were taken, and which were not', async () => {
  const front = await startFront();
  front.use([port]);
  const notify = (id: string) =>
    fetch(`${front.origin}/hooks/board/x`, { method: 'POST', body: JSON.stringify({ action: { id } }) });
  await notify('taken');
  status = 503;
  await notify('refused');
  status = 200;
  expect([...front.taken()]).toEqual(['taken']);
  expect(Object.fromEntries(front.statuses())).toEqual({ 200: 1, 503: 1 });
  front.close();
});
