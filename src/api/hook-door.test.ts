import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import type { Intake } from '#events';
import { silentLog } from '#log';
import { storageFault } from '#store';
import { createHookDoor } from './hook-door.ts';

/** The door by itself; behind it stands somebody who knows nothing. */
const doorTo = async (intake: Intake, watch: (outgoing: ServerResponse) => void = () => {}) => {
  const door = createHookDoor({
    intake,
    telemetry: { record: async (_, work) => void (await work()) },
    storageFault,
    publicUrl: new URL('http://switchboard.test'),
    clock: systemClock(),
    log: silentLog,
  });
  const server = createServer((incoming, outgoing) => {
    watch(outgoing);
    if (!door(incoming, outgoing)) outgoing.writeHead(404).end('');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/board/token`;
  return {
    tell: (body: string) => fetch(url, { method: 'POST', body }),
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

test('whoever tells us of something is answered after what it sets off has begun', async () => {
  const order: string[] = [];
  // As a call does that waits for nothing but its turn.
  const intake = async () => {
    setImmediate(() => order.push('set off'));
    return { status: 200 };
  };
  using door = await doorTo(intake, (outgoing) => {
    const end = outgoing.end.bind(outgoing);
    Object.assign(outgoing, { end: (text: string) => end(text, () => {}) && order.push('answered') });
  });

  const { status } = await door.tell('{}');

  expect([status, order]).toEqual([200, ['set off', 'answered']]);
});

test('what cannot be stored is not taken here either, and a defect of ours tells nothing of itself', async () => {
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
  for (const [error, status] of [[away, 503] as const, [new Error('secret of the house'), 500] as const]) {
    using door = await doorTo(() => Promise.reject(error));
    const answer = await door.tell('{}');
    expect([answer.status, await answer.text()]).toEqual([status, expect.not.stringContaining(error.message)]);
  }
});

test('what is repeated to the service is never a page, and what is longer than a notification may be is not read', async () => {
  const lengths: number[] = [];
  const intake: Intake = async (_integration, _token, { bytes }) => {
    lengths.push(bytes.byteLength);
    return { status: 200, body: '<script>alert(1)</script>' };
  };
  using door = await doorTo(intake);

  const told = await door.tell('x'.repeat(1_000_000));
  const tooLong = await door.tell('x'.repeat(1_000_001));

  expect([told.status, tooLong.status, lengths]).toEqual([200, 404, [1_000_000]]);
  expect([told.headers.get('content-type'), told.headers.get('x-content-type-options')]).toEqual([
    'text/plain; charset=utf-8',
    'nosniff',
  ]);
});
