import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#config';
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from '#store';

export type OpenDatabase = { connectionString: string; close(): Promise<void> };

type Say = (message: string, fields?: Record<string, unknown>) => void;

const watchEveryMs = 1_000;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, but belongs to the database's own user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Keeps the embedded server running: one that dies under us is started again, at the same address. */
const keepRunning = (first: EmbeddedPostgres, start: () => Promise<EmbeddedPostgres>, log: Say) => {
  let server = first;
  const ending = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sleep(watchEveryMs, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted || isAlive(server.pid)) continue;
      log('PostgreSQL ended; starting it again', { pid: server.pid });
      try {
        await server.stop();
        server = await start();
        if (server.connectionString !== first.connectionString) {
          log('PostgreSQL listens elsewhere now; ending, so that the next start uses the new address');
          process.kill(process.pid, 'SIGTERM');
        }
      } catch (error) {
        log('PostgreSQL could not be started again; trying once more', { reason: String(error) });
      }
    }
  };
  const watching = watch();
  return async (): Promise<void> => {
    ending.abort();
    await watching;
    await server.stop();
  };
};

/** The database of this set-up, started by us when none is given. */
export const ownDatabase = async (config: Config, log: Say, signal?: AbortSignal): Promise<OpenDatabase> => {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, close: async () => {} };
  const { dataDir } = config;
  const server = await startEmbeddedPostgres({ dataDir, log, signal });
  const startAgain = () => startEmbeddedPostgres({ dataDir, log });
  return { connectionString: server.connectionString, close: keepRunning(server, startAgain, log) };
};

/** The same for a command that may run beside a Switchboard that keeps the database already. */
export const sharedDatabase = async (config: Config): Promise<OpenDatabase> => {
  const running = config.databaseUrl ?? (await findRunningPostgres(config.dataDir));
  if (running !== undefined) return { connectionString: running, close: async () => {} };
  return ownDatabase(config, () => {});
};
