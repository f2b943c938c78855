import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { inDataDir } from '../data-dir.ts';
import { chooseAddress, connectionString } from './address.ts';
import { prepareBinaries } from './binaries.ts';
import { ensureCluster, resetPassword } from './cluster.ts';
import { type Folders, letOwnerPass, openDataDir, ownFolder } from './folders.ts';
import { type Lock, takeLock } from './lock.ts';
import { databaseOwner } from './owner.ts';
import { passwordFile } from './password.ts';
import { commandLine, endPostmaster, endStrays, interrupt, readPidFile, runsOn } from './postmaster.ts';
import { launch, type Running, type Server, serverCommand } from './server.ts';
import { keepShort } from './server-log.ts';
import { watchOver } from './watcher.ts';

export type EmbeddedPostgres = { connectionString: string; pid: number; adopted: boolean; stop(): Promise<void> };

type Log = (message: string, fields?: Record<string, unknown>) => void;
type Options = {
  dataDir: string;
  log: Log;
  readyTimeoutMs?: number;
  /** Server settings beyond ours; tests trade durability for speed here. */
  settings?: Record<string, string>;
  orphanGraceSeconds?: number;
  /** Aborted when the start is given up: it then ends what it has begun, and fails with the reason. */
  signal?: AbortSignal | undefined;
};

export const startServer = async (options: Options): Promise<EmbeddedPostgres> => {
  const started = performance.now();
  const { folders, lock } = await inDataDir(options.dataDir, async () => {
    const opened = await openDataDir(options.dataDir);
    return { folders: opened, lock: await takeLock(opened.data) };
  });
  try {
    const { firstStart, running, password, passwordPath } = await bringUp(folders, options);
    const { pid, address, adopted } = running;
    const url = connectionString(address, password);
    const stop = stopper(running, folders, lock, options.orphanGraceSeconds ?? 60);
    try {
      options.signal?.throwIfAborted();
      await connect(url);
    } catch (error) {
      await stop();
      if (!isWrongPassword(error)) throw error;
      const remedy = 'Delete the file and start again: the database then gets a new one.';
      throw new Error(`The database does not accept the password in ${passwordPath}. ${remedy}`, { cause: error });
    }
    const ms = Math.round(performance.now() - started);
    options.log('PostgreSQL is ready', { pid, adopted, ms, firstStart, listens: address.kind });
    return { connectionString: url, pid, adopted, stop };
  } catch (error) {
    lock.release();
    // Whatever failed then, failed because of it.
    options.signal?.throwIfAborted();
    throw error;
  }
};

const bringUp = async (folders: Folders, { log, readyTimeoutMs = 60_000, settings = {}, signal }: Options) => {
  const owner = await databaseOwner();
  await letOwnerPass(owner, folders);
  const binaries = await prepareBinaries(owner, folders);
  const file = await passwordFile(folders.data);
  const setup = { owner, binaries, folders, password: file, settings, signal };
  const firstStart = (await ensureCluster(setup)) === 'created';
  for (const folder of [folders.pg, folders.run]) await ownFolder(owner, folder);

  const server = { owner, binaries, folders, settings, signal };
  const known = await file.read();
  const orphan = known === undefined ? undefined : await adopt(server, known);
  if (orphan === undefined) await clearAway(folders, log);
  const password = known ?? (await resetPassword(setup));
  const running = orphan ?? (await launch(server, readyTimeoutMs));
  return { firstStart, running, password, passwordPath: file.path };
};

/** Takes over a server whose supervisor died, if it is exactly what we would start and it answers. */
const adopt = async (server: Server, password: string): Promise<Running | undefined> => {
  const { folders } = server;
  const found = await readPidFile(folders.pg);
  if (!found?.ready) return undefined;
  const address = { ...(await chooseAddress(folders.run)), port: found.port };
  if (commandLine(found.pid) !== serverCommand(server, address).join(' ')) return undefined;
  const answers = await connect(connectionString(address, password)).then(
    () => true,
    () => false,
  );
  return answers ? { pid: found.pid, address, adopted: true, buried: () => Promise.resolve() } : undefined;
};

/** Ends what an earlier supervisor left behind. PostgreSQL would not start over a pid file whose number belongs to a
 *  stranger or to a dead process that nobody has buried. */
const clearAway = async ({ pg: cluster, run }: Folders, log: Log) => {
  const found = await readPidFile(cluster);
  if (found && runsOn(found.pid, cluster)) {
    log('Ending a PostgreSQL left by an earlier start', { pid: found.pid });
    await endPostmaster(found.pid, cluster);
  }
  await endStrays(cluster);
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  for (const name of await readdir(run)) if (name.startsWith('.s.PGSQL.')) await rm(join(run, name), { force: true });
};

const stopper = ({ pid, buried }: Running, { pg: cluster, log }: Folders, lock: Lock, graceSeconds: number) => {
  const watcher = watchOver(pid, join(cluster, 'postmaster.pid'), lock, graceSeconds);
  const shortener = keepShort(log);
  const interruptAtExit = () => interrupt(pid, cluster);
  process.once('exit', interruptAtExit);
  const stop = async () => {
    await endPostmaster(pid, cluster);
    process.off('exit', interruptAtExit);
    shortener.end();
    await Promise.all([buried(), watcher.dismiss()]);
    lock.release();
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
};

const connect = async (url: string) => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  await client.end();
};

const isWrongPassword = (error: unknown) => error instanceof Error && 'code' in error && error.code === '28P01';
