import type { Accounts, Caller } from '#accounts';
import { type Catalogue, Fault, inOneLine, type Option, wrongFields } from '#kit';
import { toUpstream, understood } from '#upstream';

export type Pickers = {
  /** The values of a drop-down, as the account sees them at the service. */
  options(workspaceId: string, name: string, query: Partial<Record<string, string>>): Promise<Option[]>;
};

export const createPickers = (options: { catalogue: Catalogue; accounts: Accounts; caller: Caller }): Pickers => ({
  options: async (workspaceId, name, { accountId: called = '', endUserId, ...query }) => {
    const having = options.catalogue.integrations.filter(({ pickers }) => pickers.some((each) => each.name === name));
    const of = having.length === 1 ? having[0]?.name : undefined;
    const how = { field: 'accountId', integration: of, endUserId };
    const accountId = await options.accounts.idOf(workspaceId, called, how);
    const account = await options.accounts.get(workspaceId, accountId, endUserId);
    const integration = options.catalogue.integration(account.integration);
    const picker = integration?.pickers.find((each) => each.name === name);
    if (integration === undefined || picker === undefined) {
      const known = integration?.pickers.map((each) => each.name).join(', ') ?? '';
      throw new Fault('not_found', `There is no picker "${name}" for ${account.integration}; there are: ${known}.`);
    }
    const parsed = picker.query.strict().safeParse(query);
    if (!parsed.success) {
      const fields = wrongFields(parsed.error.issues);
      throw new Fault('invalid_input', `The picker cannot be asked this way. ${inOneLine(fields)}`, {
        details: { fields },
      });
    }
    const upstream = toUpstream(
      (request) => options.caller.asAccount(workspaceId, account.id, request),
      integration.upstream.readFault,
    );
    return understood(picker.options(parsed.data, { upstream, account }));
  },
});
