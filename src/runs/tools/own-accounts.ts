import type { Accounts } from '#accounts';
import { placeAt } from '#kit';
import type { Database } from '#store';
import type { ToolDefinition, ToolInput } from './definition.ts';

type ForWhom = { workspaceId: string; endUserId: string | undefined };

const given = (inputs: readonly ToolInput[], values: Record<string, unknown>): string[] =>
  inputs
    .filter(({ type }) => type === 'account')
    .map(({ name }) => values[name])
    .filter((id) => typeof id === 'string');

/** The arguments with the ids of accounts that were given by name. */
export const withIds = async (
  accounts: Pick<Accounts, 'idOf'>,
  { workspaceId, endUserId }: ForWhom,
  inputs: readonly ToolInput[],
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  const ids = inputs.map(async ({ name, type, integration }) => {
    const { [name]: called } = args;
    if (type !== 'account' || typeof called !== 'string') return [];
    const how = { field: placeAt('input', name), integration, endUserId };
    return [[name, await accounts.idOf(workspaceId, called, how)]];
  });
  return { ...args, ...Object.fromEntries((await Promise.all(ids)).flat()) };
};

/** For an end user somebody else's account is none from the start, as for a step. `within`: whoever holds a transaction asks through it. */
export const refuseOthers = async (
  accounts: Pick<Accounts, 'get'>,
  { workspaceId, endUserId }: ForWhom,
  { inputs, values }: { inputs: readonly ToolInput[]; values: Record<string, unknown> },
  within?: Database,
): Promise<void> => {
  if (endUserId === undefined) return;
  for (const id of given(inputs, values)) await accounts.get(workspaceId, id, endUserId, within);
};

/** Whose run it is where nobody says: that of the one end user whose accounts it uses, as with a step. */
export const soleEndUser = async (
  accounts: Pick<Accounts, 'get'>,
  workspaceId: string,
  { inputs, steps, values }: Pick<ToolDefinition, 'inputs' | 'steps'> & { values: Record<string, unknown> },
): Promise<string | undefined> => {
  const whose = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await accounts.get(workspaceId, id).catch(() => undefined))?.endUserId));
  const users = await whose(given(inputs, values));
  const fixed = await whose(steps.flatMap(({ account }) => ('id' in account ? [account.id] : [])));
  // What the builder chose may be nobody's; what is given to a run for an end user is theirs.
  const all = new Set([...users, ...fixed.filter((user) => user !== undefined)]);
  const [sole] = all;
  return all.size === 1 ? sole : undefined;
};
