import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { shared } from './shared.ts';

let server: ReturnType<typeof askForServer> | undefined;
let orders: pg.Pool | undefined;

/** Each connection costs as much as half a database: one stays for the making and dropping. */
const order = async (connectionString: string, statement: string): Promise<void> => {
  orders ??= new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true }).on(
    'error',
    () => {},
  );
  await orders.query(statement);
};

/** A migrated database of the caller's own, gone when disposed of. */
export const freshDatabase = async (): Promise<{
  connectionString: string;
  [Symbol.asyncDispose](): Promise<void>;
}> => {
  server ??= askForServer();
  const { connectionString, template, strategy } = await server;
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await order(connectionString, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY ${strategy}`);
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
    await order(connectionString, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } catch (error) {
    if (attempts <= 1 || (error as { code?: string }).code !== '42501') throw error;
    await sleep(100);
    await drop(connectionString, name, attempts - 1);
  }
};

const askForServer = () => shared('database');
