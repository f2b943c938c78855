import { consumerTenantId } from '../people.ts';
import type { AppRegistration } from './apps.ts';
import { IdentityProblem } from './problems.ts';
import type { TokenSubject } from './tokens.ts';

const families = new Set(['common', 'organizations', 'consumers']);
const domainOf = (username: string): string => username.slice(username.indexOf('@') + 1).toLowerCase();

/** A tenant is named by its id, by its domain, or as one of three families. */
const isIn = (tenant: string, subject: TokenSubject): boolean => {
  if (tenant === 'common') return true;
  if (tenant === 'organizations') return !subject.personal;
  if (tenant === 'consumers' || tenant === consumerTenantId) return subject.personal;
  return !subject.personal && (subject.tenantId === tenant || domainOf(subject.username) === tenant);
};

export const mustKnowTenant = (tenant: string, people: readonly TokenSubject[]): void => {
  if (families.has(tenant) || tenant === consumerTenantId || people.some((person) => isIn(tenant, person))) return;
  throw new IdentityProblem(
    'invalid_request',
    90002,
    `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.`,
  );
};

/** 50020 for a stranger to the tenant, 500208 for an account of the wrong kind. */
export const accountProblem = (tenant: string, app: AppRegistration, subject: TokenSubject) => {
  const wrongKind = app.audience !== 'both' && (app.audience === 'personal') !== subject.personal;
  if (wrongKind || (tenant === 'organizations' && subject.personal) || (tenant === 'consumers' && !subject.personal))
    return new IdentityProblem(
      'invalid_request',
      500208,
      `The domain is not a valid login domain for the account type. User account '${subject.username}' cannot be used with the application '${app.clientId}'(${app.name}).`,
    );
  if (isIn(tenant, subject)) return undefined;
  const provider = subject.personal ? 'live.com' : `https://sts.windows.net/${subject.tenantId}/`;
  return new IdentityProblem(
    'invalid_request',
    50020,
    `User account '${subject.username}' from identity provider '${provider}' does not exist in tenant '${tenant}' and cannot access the application '${app.clientId}'(${app.name}) in that tenant. The account needs to be added as an external user in the tenant first. Sign out and sign in again with a different account.`,
  );
};

/** The tenant id behind a name, where there is just one. */
export const tenantIdOf = (tenant: string, people: readonly TokenSubject[]): string | undefined => {
  if (tenant === 'consumers') return consumerTenantId;
  if (families.has(tenant)) return undefined;
  return people.find((person) => isIn(tenant, person))?.tenantId ?? tenant;
};
