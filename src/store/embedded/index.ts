import { startServer } from './supervisor.ts';

export { findRunningPostgres } from './running.ts';

export type EmbeddedPostgres = { connectionString: string; pid: number; adopted: boolean; stop(): Promise<void> };

export const startEmbeddedPostgres = (options: {
  dataDir: string;
  log: (message: string, fields?: Record<string, unknown>) => void;
  readyTimeoutMs?: number;
}): Promise<EmbeddedPostgres> => startServer(options);
