import type { Intervals } from '#clock';
import { scratchFolder, startEmbeddedPostgres } from '#store';
import { type Running, startProcess } from '../../prove/harness/processes.ts';
import type { Watched } from './event-load.ts';
import { cpuSeconds, familyCpuSeconds, memoryMb } from './measure.ts';
import { startRole } from './roles.ts';
import { ownerKey, watchBoards } from './watched-boards.ts';

/** Processor time in seconds. */
export type Spent = { own: number; database: number };

/** A database, a stub of the board service (the program's role `stub`), and processes of ours that watch boards. */
export const openWatchedHouse = async (
  program: string,
  options: {
    accounts: number;
    perAccount?: number;
    processes?: number;
    /** What the further processes are. */
    others?: 'start' | 'api';
    intervals?: Partial<Intervals>;
  },
) => {
  const { accounts, perAccount = 1, processes = 1, others = 'start', intervals } = options;
  const folder = await scratchFolder();
  const database = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const stub = await startRole(program, 'stub');
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: database.connectionString,
    BOOTSTRAP_API_KEY: ownerKey,
    SANDBOX: 'on',
    SANDBOX_PORT: String(Number(new URL(stub.origin).port) - 1),
    LOG_LEVEL: 'warn',
    ...(intervals === undefined ? {} : { INTERVALS: JSON.stringify(intervals) }),
  };
  const running: Running[] = [];
  const close = async (): Promise<void> => {
    for (const each of running) await each.stop();
    stub.stop();
    await database.stop();
    await folder[Symbol.asyncDispose]();
  };
  try {
    const first = await startProcess('start', environment);
    running.push(first);
    const place = { origin: first.origin, dataDir: folder.path, database: database.connectionString };
    const watched: Watched[] = await watchBoards(place, { accounts, perAccount });
    while (running.length < processes) running.push(await startProcess(others, environment));
    const pids = running.map(({ child }) => child.pid ?? 0);
    return {
      origin: first.origin,
      origins: running.map(({ origin }) => origin),
      database,
      stub,
      watched,
      memoryMb: () => pids.reduce((sum, pid) => sum + memoryMb(pid), 0),
      spent: (): Spent => ({
        own: pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
        database: familyCpuSeconds(database.pid),
      }),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
