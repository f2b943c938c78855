import type pg from 'pg';

type Query = (...given: unknown[]) => unknown;

/**
 * Gives each query of a connection a deadline. One that is over means a database that hangs, and ends the connection with
 * all that waits on it: kept, it could be lent out again in the middle of somebody's transaction. `failed` hears why one failed.
 */
export const withDeadline = (client: pg.PoolClient, ms: number, failed: (error: unknown) => void): void => {
  const ask = client.query.bind(client) as Query;
  const query: Query = (...given) => {
    const answer = ask(...given);
    if (!(answer instanceof Promise)) return answer;
    // While a query is under way this cuts the line at once; nobody is asked for leave who does not answer.
    const timer = setTimeout(() => void (client as unknown as pg.Client).end().catch(() => {}), ms);
    const callOff = () => clearTimeout(timer);
    answer.then(callOff, (error: unknown) => {
      callOff();
      failed(error);
    });
    return answer;
  };
  Object.assign(client, { query });
};
