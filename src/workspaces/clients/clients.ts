import type { Clock } from '#clock';
import { newId, type Store } from '#store';
import type { Budgets } from '../budgets.ts';
import { OAuthError } from './errors.ts';

/** A program as it described itself. Nothing of it is verified but where it may be sent back to. */
export type Client = { id: string; name: string; redirectUris: string[] };

/** Public programs that ask to be let in over MCP. They hold no secret: who has the code and its verifier is one. */
export type Clients = {
  register(client: Omit<Client, 'id'>, address: string): Promise<Client & { createdAt: Date }>;
  find(id: string): Promise<Client | undefined>;
};

const fromOne = { perSecond: 0.1, burst: 20 };
const fromAll = { perSecond: 2, burst: 200 };
// What runs in our own page, or reads this machine's files, is nobody's address.
const neverSchemes = new Set(['javascript:', 'data:', 'file:', 'blob:', 'about:', 'vbscript:', 'ws:', 'wss:', 'ftp:']);
const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Whether it leads to a program on the person's own machine. */
export const isLoopback = (redirectUri: string): boolean => {
  const url = URL.parse(redirectUri);
  return url?.protocol === 'http:' && loopback.has(url.hostname);
};

/** Https, this machine, or a scheme of the program's own. */
export const isRedirectUri = (text: string): boolean => {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'http:') return loopback.has(url.hostname);
  return url.protocol === 'https:' || !neverSchemes.has(url.protocol);
};

/** Programs on this machine take whatever port is free (RFC 8252). */
export const redirectFits = (registered: readonly string[], given: string): boolean => {
  if (registered.includes(given)) return true;
  const asked = URL.parse(given);
  if (asked === null || !isLoopback(given)) return false;
  return registered.some((each) => {
    const known = URL.parse(each);
    if (known?.protocol !== 'http:') return false;
    known.port = asked.port;
    return known.href === asked.href;
  });
};

export const createClients = (options: { store: Store; clock: Clock; budgets: Budgets }): Clients => {
  const { store, clock, budgets } = options;
  return {
    register: async ({ name, redirectUris }, address) => {
      if (!redirectUris.every(isRedirectUri)) {
        const message =
          'redirect_uris must be https, http on this machine, or of a scheme of your own, without a fragment.';
        throw new OAuthError('invalid_redirect_uri', message);
      }
      // One address cannot use up what is there for the others.
      if (
        (await budgets.take('*', `registering clients from ${address}`, fromOne)) > 0 ||
        (await budgets.take('*', 'registering clients', fromAll)) > 0
      ) {
        throw new OAuthError('temporarily_unavailable', 'Too many registrations; try again in a minute.');
      }
      const createdAt = clock.now();
      const id = newId('cli', createdAt);
      // Before any workspace is known, hence the house's own view.
      await store.system
        .insertInto('clients')
        .values({ id, name, redirect_uris: redirectUris, created_at: createdAt })
        .execute();
      return { id, name, redirectUris, createdAt };
    },

    find: async (id) => {
      const row = await store.system.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst();
      return row && { id: row.id, name: row.name, redirectUris: row.redirect_uris };
    },
  };
};
