import { sql } from 'kysely';
import { wrong } from '#kit';
import { type AccountState, accountsOf, type Store } from '#store';

export type CalledHow = {
  /** Where the request names it. */
  field: string;
  integration: string | undefined;
  endUserId: string | undefined;
};

/** With its state where it cannot be used now. */
export type Called = { id: string; name: string; state?: AccountState };

const most = 20;

/**
 * The accounts that are called so, by their name, their person's or their address. Whoever acts for an end user calls
 * theirs so, and nobody else does. An id calls none.
 */
export const createCalled =
  (store: Store) =>
  async (
    workspaceId: string,
    given: string,
    { integration, endUserId }: Omit<CalledHow, 'field'>,
  ): Promise<Called[]> => {
    if (given.startsWith('acc_')) return [];
    const called = await store
      .of(workspaceId)
      .selectFrom('accounts')
      .select(['id', 'name', 'state'])
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'account')
      .where('state', '<>', 'disconnected')
      .where(accountsOf(endUserId ?? null))
      .$if(integration !== undefined, (query) => query.where('integration', '=', integration as string))
      .where(
        sql<boolean>`(${given} in (name, identity ->> 'name')
          or lower(${given}) in (lower(identity ->> 'address'), lower(identity ->> 'username')))`,
      )
      .orderBy('id', 'desc')
      .limit(most)
      .execute();
    return called.map(({ id, name, state }) => ({ id, name, ...(state === 'connected' ? {} : { state }) }));
  };

/** Of what is called so, the id. What is no account's stays as it was given: whoever uses it says that there is none. */
export const createIdOf =
  (find: ReturnType<typeof createCalled>) =>
  async (workspaceId: string, given: string, { field, ...how }: CalledHow): Promise<string> => {
    const candidates = await find(workspaceId, given, how);
    const [only, ...others] = candidates;
    if (others.length === 0) return only?.id ?? given;
    throw wrong(field, 'Several accounts are called so; name one of the candidates by its id.', { candidates });
  };
