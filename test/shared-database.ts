import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#clock';
import { createJobs } from '#jobs';
import { silentLog } from '#log';
import { migrate, scratchFolder, startEmbeddedPostgres } from '#store';
import type { Shared } from './desk.ts';
import { memoryFolder } from './memory-folder.ts';
import { runStatement } from './run-statement.ts';

export type TestServer = {
  connectionString: string;
  template: string;
  /** How the template is copied the fastest where it lies. */
  strategy: 'file_copy' | 'wal_log';
};

/** One PostgreSQL for the whole run, with a migrated database to clone. */
export const startSharedDatabase = async (): Promise<Shared<TestServer>> => {
  const template = `template_${crypto.randomUUID().replaceAll('-', '')}`;
  const { connectionString, strategy, close } = await openServer(template);
  try {
    await runStatement(connectionString, `CREATE DATABASE ${template}`);
    const url = new URL(connectionString);
    url.pathname = template;
    await migrate(url.href);
    // The queue's own tables, so that no test waits for them.
    const jobs = createJobs({ connectionString: url.href, jobs: [], log: silentLog, clock: systemClock() });
    await jobs.start({ work: false });
    await jobs.stop();
    // Cloning asks that nobody is connected.
    await runStatement(connectionString, `ALTER DATABASE ${template} ALLOW_CONNECTIONS false`);
    return { terms: { connectionString, template, strategy }, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const openServer = async (template: string) => {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    const close = () => runStatement(given, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    return { connectionString: given, strategy: 'wal_log' as const, close };
  }
  // Hundreds of databases are made and dropped in a run; on a disk their files take longer than their tables.
  const memory = await memoryFolder();
  const scratch = memory ?? (await scratchFolder());
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    // Databases here live for seconds.
    autovacuum: 'off',
  };
  // Its socket lies in a folder that nobody else enters, and a password takes a third of each of thousands of connections.
  const access = join(scratch.path, 'access');
  await writeFile(access, 'local all all trust\n', { mode: 0o644 });
  const server = await startEmbeddedPostgres({
    dataDir: scratch.path,
    log: () => {},
    settings: { ...settings, hba_file: access },
    orphanGraceSeconds: 5,
  });
  const close = async () => {
    await server.stop();
    await scratch[Symbol.asyncDispose]();
  };
  return {
    connectionString: server.connectionString,
    strategy: memory === undefined ? ('wal_log' as const) : ('file_copy' as const),
    close,
  };
};
