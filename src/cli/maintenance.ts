import { sql } from 'kysely';
import { systemClock } from '#clock';
import { type Config, ConfigMistake } from '#config';
import { silentLog } from '#log';
import {
  addKeyInFolder,
  createSealer,
  keyRingFromText,
  keyRingInFolder,
  type Migrated,
  migrate,
  noteRestored,
  openStore,
  rewrapAll,
  type Store,
} from '#store';
import { createBudgets, createSessions, ensureFirstOwner, findMember, terminal } from '#workspaces';
import { sharedDatabase } from './database.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const withStore = async (config: Config, work: (store: Store, migrated: Migrated) => Promise<void>): Promise<void> => {
  const database = await sharedDatabase(config);
  try {
    const migrated = await migrate(database.connectionString, {
      told: (reason) =>
        process.stderr.write(`Somebody holds a table that a migration changes (${reason}); trying again.\n`),
    });
    const store = openStore({ connectionString: database.connectionString, max: 4, log: silentLog });
    try {
      await work(store, migrated);
    } finally {
      await store.close();
    }
  } finally {
    await database.close();
  }
};

/** What came of a migration, in a sentence. */
export const toldOf = ({ done, newer }: Migrated): string => {
  if (newer.length > 0)
    return `The database is of a newer version (${newer.at(-1)}) and stays as it is; bring this program up to date.`;
  if (done.length === 0) return 'The database was at the newest version already.';
  return `The database was brought to the newest version, ${done.at(-1)} (${done.length} ${done.length === 1 ? 'change' : 'changes'}).`;
};

export const migrateDatabase = (config: Config): Promise<void> =>
  withStore(config, async (_, migrated) => say(toldOf(migrated)));

export const restored = (config: Config): Promise<void> =>
  withStore(config, async (store) => {
    await noteRestored(store);
    say('Noted. Runs that are older than this moment look at the services before they write anything.');
    say('Start the processes now, or start them again if they run.');
  });

export const signInLink = (config: Config, email: string | undefined): Promise<void> =>
  withStore(config, async (store) => {
    const clock = systemClock(config.clockOffsetMs);
    const member = email === undefined ? await ensureFirstOwner({ store, clock }) : await findMember(store, email);
    if (member === undefined) throw new Error(`nobody with the address ${email} is a member of a workspace here.`);
    const sessions = createSessions({ store, clock, budgets: createBudgets(store) });
    const { token, expiresAt } = await sessions.createLink(member.workspaceId, member.personId, terminal);
    const link = new URL(`/sign-in/${token}`, config.publicUrl).href;
    // In one go: whoever takes the first line alone may have closed the pipe by the second.
    say(`${link}\nFor ${member.email}, once, until ${expiresAt.toISOString()}.`);
  });

const oneAtATime = <T>(store: Store, work: () => Promise<T>): Promise<T> =>
  store.system.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('switchboard keys rotate', 0))`.execute(tx);
    return work();
  });

export const rotateKeys = (config: Config): Promise<void> =>
  withStore(config, async (store) => {
    const { encryptionKey } = config;
    if (encryptionKey !== undefined && !encryptionKey.includes(',')) {
      throw new ConfigMistake(
        'ENCRYPTION_KEY holds one key. Put a new one before it, as "2:<new>,1:<old>", in every process, then run this again; ' +
          'afterwards the old one can go and "2:<new>" stays. New keys: openssl rand -base64 32',
      );
    }
    // Two at once would each add a key of the same version.
    const version =
      encryptionKey === undefined ? await oneAtATime(store, async () => addKeyInFolder(config.dataDir)) : undefined;
    const ring = encryptionKey === undefined ? keyRingInFolder(config.dataDir) : keyRingFromText(encryptionKey);
    const { changed, unreadable } = await rewrapAll(store, createSealer(ring));
    say(
      `${changed === 1 ? '1 secret was' : `${changed} secrets were`} brought under key version ${version ?? ring.newest().version}.`,
    );
    if (unreadable.length > 0) {
      throw new Error(
        `${unreadable.length} stored secrets cannot be opened by any key here and were left: ${unreadable.join(', ')}.`,
      );
    }
  });
