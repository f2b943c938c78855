import pg from 'pg';

/** One statement on a connection of its own, as CREATE DATABASE and DROP DATABASE want it. */
export const runStatement = async (connectionString: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};
