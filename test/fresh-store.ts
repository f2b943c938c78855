import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { freshDatabase } from './database.ts';

/** A store on a database of its own, for tests of what is asked of it. */
export const freshStore = async (): Promise<{ store: Store; [Symbol.asyncDispose](): Promise<void> }> => {
  const database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 3, log: silentLog });
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
};
