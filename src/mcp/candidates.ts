import { z } from 'zod';
import type { Accounts } from '#accounts';
import { type CatalogueStep, candidatesIn, Fault } from '#kit';
import type { Tool } from '#runs';
import type { Candidate } from './results.ts';

type Asked = { argument: string; integration: string; permissionType?: string | undefined };

const most = 20;

const grants = (types: readonly string[], asked: string | undefined) => asked === undefined || types.includes(asked);

/** The arguments that name accounts, and of which service each must be. */
const askedBy = (what: CatalogueStep | Tool): Asked[] =>
  'run' in what
    ? [{ argument: 'accountId', integration: what.integration.name }]
    : what.inputs.flatMap(({ name, type, integration, permissionType }) =>
        type === 'account' && integration !== undefined ? [{ argument: name, integration, permissionType }] : [],
      );

const fits = async (accounts: Accounts, workspaceId: string, id: unknown, { integration }: Asked): Promise<boolean> => {
  if (typeof id !== 'string') return false;
  try {
    const account = await accounts.get(workspaceId, id);
    return account.integration === integration && account.state !== 'disconnected';
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return false;
    throw error;
  }
};

/**
 * After a refusal: the accounts that could have been named, where the account was what is wrong. Accounts of end users
 * are used by their ids alone and never offered.
 */
export const findCandidates = async (
  accounts: Accounts,
  workspaceId: string,
  what: CatalogueStep | Tool,
  given: Readonly<Record<string, unknown>>,
  fault: Fault,
): Promise<Candidate[]> => {
  if (fault.code !== 'invalid_input' && fault.code !== 'not_found') return [];
  if (candidatesIn(fault).length > 0) return [];
  // Leaving the account of a step out is no mistake where only one qualifies; where it is one, the refusal names it.
  const optional = 'run' in what && !fault.details?.fields?.some(({ field }) => field === 'accountId');
  const doubtful = askedBy(what).filter(({ argument }) => !optional || given[argument] !== undefined);
  const found = await Promise.all(
    doubtful.map(async (asked) => {
      const { argument, integration, permissionType } = asked;
      if (await fits(accounts, workspaceId, given[argument], asked)) return [];
      const { items } = await accounts.list(workspaceId, { integration }, { limit: 100 });
      return items
        .filter(({ endUserId, permissionTypes }) => endUserId === undefined && grants(permissionTypes, permissionType))
        .slice(0, most)
        .map(({ id, name }) => ({ argument, id, name }));
    }),
  );
  return found.flat();
};

const Told = z.array(z.looseObject({ id: z.string(), name: z.string() }));

/** For an end user: only what the refusal itself names, which is theirs alone. */
export const candidatesOf = (fault: Fault): Candidate[] => {
  if (candidatesIn(fault).length > 0) return [];
  const told = Told.safeParse(fault.details?.['candidates']).data ?? [];
  return told.map(({ id, name }) => ({ argument: 'accountId', id, name }));
};
