import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, addressArguments, chooseAddress } from './address.ts';
import type { Binaries } from './binaries.ts';
import { buried, cannotRun, surroundings } from './commands.ts';
import type { Folders } from './folders.ts';
import type { Owner } from './owner.ts';
import { endPostmaster, readPidFile } from './postmaster.ts';
import { openServerLog } from './server-log.ts';

export type Server = {
  owner: Owner;
  binaries: Binaries;
  folders: Folders;
  settings: Record<string, string>;
  /** Aborted when the start is given up. */
  signal?: AbortSignal | undefined;
};
export type Running = { pid: number; address: Address; adopted: boolean; buried: () => Promise<void> };

export const serverCommand = ({ binaries, folders, settings }: Server, address: Address) => {
  const all = {
    // The version is part of the command, so that a server left by an older one is not adopted.
    cluster_name: `switchboard ${binaries.version}`,
    unix_socket_permissions: '0700',
    // Statements and failing rows hold people's data, so errors are logged without them.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return [binaries.postgres, '-D', folders.pg, ...addressArguments(address), ...args] as const;
};

export const launch = async (server: Server, readyTimeoutMs: number): Promise<Running> => {
  for (let attempt = 1; ; attempt += 1) {
    const address = await chooseAddress(server.folders.run);
    try {
      return { ...(await launchAt(server, address, readyTimeoutMs)), address, adopted: false };
    } catch (error) {
      // Between our choice of a free port and its use, another process may have taken it.
      if (attempt === 3 || !String(error).includes('could not create any TCP/IP sockets')) throw error;
    }
  }
};

const launchAt = async (server: Server, address: Address, readyTimeoutMs: number) => {
  const { owner, binaries, folders } = server;
  const [file, ...args] = serverCommand(server, address);
  const log = await openServerLog(folders.log);
  // In a session of its own: Ctrl-C reaches us alone, and we stop the database after our work is drained.
  const options = { detached: true, stdio: ['ignore', log.fd, log.fd] as ['ignore', number, number] };
  const child = spawn(file, args, { ...surroundings(owner, binaries.env), ...options });
  const end: { reason?: string } = {};
  child.once('error', (cause) => (end.reason = cannotRun(file, cause)));
  child.once('exit', (code, signal) => (end.reason ??= `it ended with ${code ?? signal}`));
  child.unref();
  try {
    const givenUp = (late: number) => server.signal?.aborted || performance.now() >= late;
    for (const late = performance.now() + readyTimeoutMs; !end.reason && !givenUp(late); await sleep(10)) {
      const found = await readPidFile(folders.pg);
      if (found?.ready && found.pid === child.pid) return { pid: found.pid, buried: () => buried(child) };
    }
    const reason = end.reason ?? `it was not ready within ${readyTimeoutMs} ms`;
    if (!end.reason && child.pid) await endPostmaster(child.pid, folders.pg);
    throw new Error(`PostgreSQL did not start: ${reason}. ${await log.lastWords()}`);
  } finally {
    await log.close();
  }
};
