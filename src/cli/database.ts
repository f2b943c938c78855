import type { Config } from '#config';
import { findRunningPostgres, startEmbeddedPostgres } from '#store';

export type OpenDatabase = { connectionString: string; close(): Promise<void> };

type Say = (message: string, fields?: Record<string, unknown>) => void;

/** The database of this set-up, started by us when none is given. */
export const ownDatabase = async (config: Config, log: Say): Promise<OpenDatabase> => {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, close: async () => {} };
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  return { connectionString: server.connectionString, close: () => server.stop() };
};

/** The same for a command that may run beside a Switchboard that keeps the database already. */
export const sharedDatabase = async (config: Config): Promise<OpenDatabase> => {
  const running = config.databaseUrl ?? (await findRunningPostgres(config.dataDir));
  if (running !== undefined) return { connectionString: running, close: async () => {} };
  return ownDatabase(config, () => {});
};
