import { setTimeout as sleep } from 'node:timers/promises';
import { runStatement } from './run-statement.ts';
import { shared } from './shared.ts';

let server: ReturnType<typeof askForServer> | undefined;

/** A migrated database of the caller's own, gone when disposed of. */
export const freshDatabase = async (): Promise<{
  connectionString: string;
  [Symbol.asyncDispose](): Promise<void>;
}> => {
  server ??= askForServer();
  const { connectionString, template } = await server;
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await runStatement(connectionString, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(connectionString);
  url.pathname = name;
  return {
    connectionString: url.href,
    [Symbol.asyncDispose]: () => drop(connectionString, name),
  };
};

/** A worker of the server's own may be in the database for a moment, and nobody but a superuser may end it. */
const drop = async (connectionString: string, name: string, attempts = 20): Promise<void> => {
  try {
    await runStatement(connectionString, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } catch (error) {
    if (attempts <= 1 || (error as { code?: string }).code !== '42501') throw error;
    await sleep(100);
    await drop(connectionString, name, attempts - 1);
  }
};

const askForServer = () => shared('database');
