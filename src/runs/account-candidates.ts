import type { Account, Accounts } from '#accounts';
import { type CatalogueStep, candidatesIn, Fault } from '#kit';
import type { Tool } from './tools/tools.ts';

/** An account, and the argument that could have named it; with its state where it cannot be used now. */
export type AccountCandidate = { argument: string; id: string; name: string; state?: Account['state'] };

type Asked = { argument: string; integration: string; permissionType?: string | undefined };

const most = 20;

/** The arguments that name accounts, and of which service each must be. */
const askedBy = (what: CatalogueStep | Tool): Asked[] =>
  'run' in what
    ? [{ argument: 'accountId', integration: what.integration.name }]
    : what.inputs.flatMap(({ name, type, integration, permissionType }) =>
        type === 'account' && integration !== undefined ? [{ argument: name, integration, permissionType }] : [],
      );

type Whose = { workspaceId: string; endUserId: string | undefined };

/** Those of one name that an argument may mean, or none that it does; `undefined`: it names one that fits. */
const alike = async (
  accounts: Accounts,
  { workspaceId, endUserId }: Whose,
  given: unknown,
  { integration, permissionType: type }: Asked,
): Promise<Awaited<ReturnType<Accounts['called']>> | undefined> => {
  if (typeof given !== 'string') return [];
  const called = await accounts.called(workspaceId, given, { integration, endUserId });
  if (called.length > 1) return called;
  try {
    const account = await accounts.get(workspaceId, called[0]?.id ?? given, endUserId);
    const isGranted = type === undefined || account.permissionTypes.includes(type);
    return account.integration === integration && account.state !== 'disconnected' && isGranted ? undefined : [];
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return [];
    throw error;
  }
};

/**
 * After a refusal: the accounts that could have been named, where the account was what is wrong: those alone that are called
 * as was given; of an end user who is named, theirs alone; otherwise those of no end user.
 */
export const accountCandidates = async (
  accounts: Accounts,
  workspaceId: string,
  what: CatalogueStep | Tool,
  given: Readonly<Record<string, unknown>>,
  fault: Fault,
): Promise<AccountCandidate[]> => {
  if (fault.code !== 'invalid_input' && fault.code !== 'not_found') return [];
  const offersMore = candidatesIn(fault).length > 0;
  const { endUserId } = given;
  if (endUserId !== undefined && typeof endUserId !== 'string') return [];
  // Leaving the account of a step out is no mistake where only one qualifies; where it is one, the refusal names it.
  const optional = 'run' in what && !fault.details?.fields?.some(({ field }) => field === 'accountId');
  const doubtful = askedBy(what).filter(({ argument }) => !optional || given[argument] !== undefined);
  const found = await Promise.all(
    doubtful.map(async (asked) => {
      const { argument, integration, permissionType } = asked;
      const meant = await alike(accounts, { workspaceId, endUserId }, given[argument], asked);
      if (meant === undefined) return [];
      if (meant.length > 0) return meant.map((each) => ({ argument, ...each }));
      if (offersMore) return [];
      const wanted = { integration, permissionType, endUserId: endUserId ?? null };
      const { items } = await accounts.list(workspaceId, wanted, { limit: most });
      return items.map(({ id, name, state }) => ({
        argument,
        id,
        name,
        ...(state === 'connected' ? {} : { state }),
      }));
    }),
  );
  return found.flat();
};
