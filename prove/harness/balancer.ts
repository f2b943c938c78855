import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './processes.ts';

/** What stands before several processes in production: passes each connection to one that answers. */
export const startBalancer = async () => {
  const port = await freePort();
  let ports: number[] = [];
  let turn = 0;
  const open = new Set<Socket>();

  const pass = (from: Socket, left: number): void => {
    const target = ports[turn++ % Math.max(1, ports.length)];
    if (target === undefined || left === 0) return void from.destroy();
    const to = connect(target, '127.0.0.1');
    let connected = false;
    to.once('connect', () => {
      connected = true;
      from.pipe(to).pipe(from);
    });
    to.on('error', () => (connected ? from.destroy() : pass(from, left - 1)));
    to.on('close', () => connected && from.destroy());
    from.on('close', () => to.destroy());
  };

  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    pass(socket, 4);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    origin: `http://127.0.0.1:${port}`,
    /** The processes that are there now. */
    use: (next: readonly number[]) => {
      ports = [...next];
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
};
