import { sql } from 'kysely';
import { wrong } from '#kit';
import { accountsOf, type Store } from '#store';

export type CalledHow = {
  /** The argument that names it. */
  field: string;
  integration: string | undefined;
  endUserId: string | undefined;
};

const most = 20;

/**
 * The id of the account that is called so, by its name, its person's or its address. Whoever acts for an end user calls
 * theirs so, and nobody else does. What is no account's stays as it was given: whoever uses it says that there is none.
 */
export const createIdOf =
  (store: Store) =>
  async (workspaceId: string, given: string, { field, integration, endUserId }: CalledHow): Promise<string> => {
    if (given.startsWith('acc_')) return given;
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
    const [only, ...others] = called;
    if (others.length === 0) return only?.id ?? given;
    const candidates = called.map(({ id, name, state }) => ({
      id,
      name,
      ...(state === 'connected' ? {} : { state }),
    }));
    throw wrong(field, `Several accounts are called so; name one of the candidates by its id as ${field}.`, {
      candidates,
    });
  };
