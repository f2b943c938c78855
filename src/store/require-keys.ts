import { type Config, ConfigMistake } from '#config';
import type { Log } from '#log';
import type { KeyRing } from './key-ring.ts';
import type { Store } from './store.ts';
import { checkKeys, otherKey } from './try-keys.ts';

/** A process with a wrong key would answer, and fail at the first call of each account. */
export const requireKeys = async (
  store: Store,
  ring: KeyRing,
  config: Pick<Config, 'dataDir' | 'encryptionKey'>,
  log: Log,
): Promise<void> => {
  const { closed, wrong } = await checkKeys(store, ring);
  if (wrong) {
    const name = config.encryptionKey === undefined ? `the key under ${config.dataDir}/secrets` : 'ENCRYPTION_KEY';
    throw new ConfigMistake(
      `Switchboard cannot start:\n  ${name} does not open what is stored (${closed[0]}); ${otherKey(config.encryptionKey)}. ` +
        'If it is lost, see "Rotating keys" in docs/operations.md.',
    );
  }
  if (closed.length > 0) log.error({ closed }, 'the encryption key does not open everything that is stored');
};
