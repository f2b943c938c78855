import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createHookDoor } from './hook-door.ts';

test('whoever tells us of something is answered after what it sets off has begun', async () => {
  const order: string[] = [];
  const door = createHookDoor({
    // As a call does that waits for nothing but its turn.
    intake: async () => {
      setImmediate(() => order.push('set off'));
      return { status: 200 };
    },
    telemetry: { record: async (_, work) => void (await work()) },
    storageFault: () => undefined,
    publicUrl: new URL('http://switchboard.test'),
    clock: systemClock(),
    log: silentLog,
  });
  const server = createServer((incoming, outgoing) => {
    const end = outgoing.end.bind(outgoing);
    Object.assign(outgoing, { end: (text: string) => end(text, () => {}) && order.push('answered') });
    if (!door(incoming, outgoing)) outgoing.writeHead(404).end('');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/board/token`;

  const { status } = await fetch(url, { method: 'POST', body: '{}' });

  expect([status, order]).toEqual([200, ['set off', 'answered']]);
  server.close();
  server.closeAllConnections();
});
