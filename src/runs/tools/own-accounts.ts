import type { Accounts } from '#accounts';
import type { Database } from '#store';
import type { ToolInput } from './definition.ts';

type ForWhom = { workspaceId: string; endUserId: string | undefined };

/** For an end user somebody else's account is none from the start, as for a step. `within`: whoever holds a transaction asks through it. */
export const refuseOthers = async (
  accounts: Pick<Accounts, 'get'>,
  { workspaceId, endUserId }: ForWhom,
  { inputs, values }: { inputs: readonly ToolInput[]; values: Record<string, unknown> },
  within?: Database,
): Promise<void> => {
  if (endUserId === undefined) return;
  for (const { name, type } of inputs) {
    const id = values[name];
    if (type === 'account' && typeof id === 'string') await accounts.get(workspaceId, id, endUserId, within);
  }
};
