import { sql } from 'kysely';
import type { Store } from './store.ts';

const opening = 'switchboard at ';
/** As much of a connection's name as PostgreSQL keeps. */
const mostCharacters = 63;

/** What a process is called among the connections: by its address, so that others see whether theirs is the same. */
export const calledAt = (address: string): string => `${opening}${address}`.slice(0, mostCharacters);

/** Under which other addresses processes on this database take themselves to be reached now. */
export const otherAddresses = async (store: Store, address: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like ${`${opening}%`}
      and application_name <> ${calledAt(address)}`.execute(store.system);
  return rows.map(({ name }) => name.slice(opening.length));
};
