import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readWhole } from './quick-parts.ts';

test('a body whose sender is gone before anybody reads it is waited for by nobody', async () => {
  const { promise: left, resolve } = Promise.withResolvers<IncomingMessage>();
  const server = createServer((incoming) => {
    incoming.once('close', () => resolve(incoming));
    asked.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const asked = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 9 } });
  asked.on('error', () => {}).write('half');

  await expect(readWhole(await left)).rejects.toMatchObject({ code: 'invalid_input' });
  server.close();
});
