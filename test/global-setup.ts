import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { systemClock } from '#clock';
import { createJobs } from '#jobs';
import { silentLog } from '#log';
import { migrate, scratchFolder, startEmbeddedPostgres } from '#store';
import { readReport } from '../sandbox/recording/report.ts';
import { runStatement } from './run-statement.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseDesk: string;
  }
}

export type TestServer = { connectionString: string; template: string };

type RunningServer = TestServer & { close: () => Promise<void> };

/** One PostgreSQL for the whole run, started when the first test asks for a database: many runs need none. */
export default async function setup(project: TestProject) {
  let server: Promise<RunningServer> | undefined;
  const desk = createServer((_request, response) => {
    server ??= startTestServer();
    server.then(
      ({ connectionString, template }) => response.end(JSON.stringify({ connectionString, template })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const address = desk.address();
  project.provide('databaseDesk', `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  const endRecording = startRecording();
  return async () => {
    desk.close();
    const started = await server?.catch(() => undefined);
    await started?.close();
    endRecording();
  };
}

/** Every sandbox of the run, in whatever process, notes there what it answered against its description. */
const startRecording = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-record-'));
  process.env['SANDBOX_RECORD'] = folder;
  return () => {
    const { sandboxes, answers, strayed } = readReport(folder);
    rmSync(folder, { recursive: true });
    const words = `${answers} answers of ${sandboxes} sandboxes were held against their descriptions`;
    if (strayed.length > 0)
      throw new Error(`${words}, ${strayed.length} strayed:\n${[...new Set(strayed)].slice(0, 20).join('\n')}`);
    if (sandboxes > 0) process.stdout.write(`${words}; all conform.\n`);
  };
};

const startTestServer = async (): Promise<RunningServer> => {
  const template = `template_${crypto.randomUUID().replaceAll('-', '')}`;
  const { connectionString, close } = await openServer(template);
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
    return { connectionString, template, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const openServer = async (template: string) => {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    const close = () => runStatement(given, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    return { connectionString: given, close };
  }
  const scratch = await scratchFolder();
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    // Databases here live for seconds.
    autovacuum: 'off',
  };
  const server = await startEmbeddedPostgres({ dataDir: scratch.path, log: () => {}, settings, orphanGraceSeconds: 5 });
  const close = async () => {
    await server.stop();
    await scratch[Symbol.asyncDispose]();
  };
  return { connectionString: server.connectionString, close };
};
