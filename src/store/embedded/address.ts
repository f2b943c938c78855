import { createServer } from 'node:net';
import { DATABASE, ROLE } from './cluster.ts';

export type Address = { kind: 'socket'; folder: string; port: number } | { kind: 'tcp'; port: number };

const SOCKET_PORT = 5432;
// sun_path minus its closing zero.
const LONGEST_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;

/** A socket in a folder closed to others, unless its path is too long for the system to bind. */
export const chooseAddress = async (folder: string): Promise<Address> => {
  const path = `${folder}/.s.PGSQL.${SOCKET_PORT}`;
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return { kind: 'socket', folder, port: SOCKET_PORT };
  return { kind: 'tcp', port: await freePort() };
};

export const addressArguments = (address: Address) =>
  address.kind === 'socket'
    ? ['-c', `unix_socket_directories=${quoted(address.folder)}`, '-c', 'listen_addresses=', '-p', `${address.port}`]
    : ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1', '-p', `${address.port}`];

/** The host is written with %2F, which libpq, pg and URL all accept. */
export const connectionString = (address: Address, password: string) => {
  const host = address.kind === 'socket' ? encodeURIComponent(address.folder) : '127.0.0.1';
  return `postgresql://${ROLE}:${password}@${host}:${address.port}/${DATABASE}`;
};

const quoted = (folder: string) => `"${folder.replaceAll('"', '""')}"`;

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
