import { Fault, type Integration, type PermissionType } from '#kit';
import type { Account } from './account.ts';
import { methodOf, shortScopesByType } from './ways.ts';

/** The body of the `POST /v1/connect` that asks for what is missing. */
export type ConnectOffer = {
  integration: string;
  method: 'oauth2' | 'authorize';
  accountId: string;
  permissionTypes: PermissionType[];
};

/** A step or a trigger: what needs something granted. */
type Asking = { integration: Integration; scopes?: readonly (readonly string[])[] };

/** Whether an account can run a step, and if not, what it lacks and how to ask for it. */
export type Readiness = { ready: boolean; missingScopes: string[]; connect?: ConnectOffer };

/** What a step needs, of each list one, and was not granted. */
export const lackedBy = ({ scopes }: Pick<Account, 'scopes'>, step: Asking): readonly (readonly string[])[] => {
  if (step.scopes === undefined || step.scopes.length === 0) return [];
  const held = new Set(scopes.map((scope) => scope.toLowerCase()));
  return step.scopes.filter((any) => !any.some((scope) => held.has(scope.toLowerCase())));
};

/** The scope to ask for of those that would do, and the permission type that brings it. */
const wantedOf = (any: readonly string[], types: ReturnType<typeof shortScopesByType>) => {
  const found = types.flatMap(([type, scopes]) => any.filter((scope) => scopes.includes(scope)).map((s) => [type, s]));
  return { type: found[0]?.[0] as PermissionType | undefined, scope: found[0]?.[1] ?? any[0] ?? '' };
};

/** What an account needs for a step, as signing in asks for it. */
export const scopesFor = ({ integration, scopes = [] }: Asking): string[] => {
  const types = integration.auth.slice(0, 1).flatMap(shortScopesByType);
  return scopes.map((any) => wantedOf(any, types).scope);
};

/** What asks for more permission types, where this account can be granted them at all. */
export const offerOf = (
  account: Account,
  integration: Integration,
  more: readonly (string | undefined)[],
): ConnectOffer | undefined => {
  const method = methodOf(integration, account.authMethod);
  const offered = shortScopesByType(method).map(([type]) => type);
  if (method.way === 'typed' || !more.every((type) => offered.some((each) => each === type))) return undefined;
  const forWork: readonly string[] = method.way === 'oauth2' ? (method.workOnly ?? []) : [];
  if (account.identity.kind === 'personal' && more.some((type) => forWork.includes(type ?? ''))) return undefined;
  const permissionTypes = [...new Set([...account.permissionTypes, ...more])] as PermissionType[];
  return {
    integration: account.integration,
    method: method.type,
    accountId: account.id,
    permissionTypes: permissionTypes.length === 0 ? ['standard'] : permissionTypes,
  };
};

export const readinessOf = (account: Account, step: Asking): Readiness => {
  const lacking = lackedBy(account, step);
  const connected = account.state === 'connected';
  if (connected && lacking.length === 0) return { ready: true, missingScopes: [] };

  const types = shortScopesByType(methodOf(step.integration, account.authMethod));
  const wanted = lacking.map((any) => wantedOf(any, types));
  const missingScopes = wanted.map(({ scope }) => scope);
  const connect = offerOf(
    account,
    step.integration,
    wanted.map(({ type }) => type),
  );
  return { ready: false, missingScopes, ...(connect === undefined ? {} : { connect }) };
};

/** Refuses a step that the account was not granted enough for, before any call is made. */
export const requireScopes = (account: Account, step: Asking): void => {
  if (lackedBy(account, step).length === 0) return;
  const { missingScopes, connect } = readinessOf(account, step);
  if (missingScopes.length === 0) return;
  const how =
    connect === undefined
      ? 'and it cannot be asked for with this account; use another account'
      : 'ask its owner to open the link that POST /v1/connect makes from details.connect';
  throw new Fault('forbidden', `${account.name} has not granted ${missingScopes.join(', ')}: ${how}.`, {
    details: { missingScopes, ...(connect === undefined ? {} : { connect }) },
  });
};

/** A refused account is named, with what `POST /v1/connect` takes to connect it again. */
export const withOffer = (error: unknown, account: Account, step: Asking): unknown => {
  if (!(error instanceof Fault) || error.code !== 'reconnect_needed') return error;
  const { connect } = readinessOf({ ...account, state: 'needs_reconnect' }, step);
  const named = account.id.startsWith('sec_') ? { secretId: account.id } : { accountId: account.id };
  const details = { ...error.details, ...named, ...(connect === undefined ? {} : { connect }) };
  return new Fault(error.code, error.message, { details, retryAfterMs: error.retryAfterMs, cause: error });
};
