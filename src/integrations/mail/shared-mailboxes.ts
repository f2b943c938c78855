import { Fault, type Step, type WatchContext } from '#kit';
import { sharedScopes } from './auth.ts';
import { isAnothers } from './wire.ts';

const codeOf = (error: unknown): unknown => {
  const upstream = error instanceof Fault ? error.details?.['upstream'] : undefined;
  return (upstream as { code?: unknown } | undefined)?.code;
};

export const isDenied = (error: unknown): boolean => codeOf(error) === 'ErrorAccessDenied';

/** How the service says that nobody's mailbox is called so. */
const unknownCodes: ReadonlySet<unknown> = new Set([
  'ErrorInvalidUser',
  'ErrorNonExistentMailbox',
  'MailboxNotEnabledForRESTAPI',
  'Request_ResourceNotFound',
  'ResourceNotFound',
]);

/** The same for mailboxes of others, as far as it can be granted. */
export const sharedOf = (scopes: Step['scopes'] = []): string[][] =>
  scopes
    .map((any) => any.map((scope) => `${scope}.Shared`))
    .filter((any) => any.some((scope) => sharedScopes.includes(scope)));

/** Where another's mailbox is refused for want of a permission, says which one, and how to ask for it. */
export const forMailboxes = (step: Step): Step => ({
  ...step,
  run: async (input, context) => {
    try {
      return await step.run(input, context);
    } catch (error) {
      const { mailbox } = input as { mailbox?: unknown };
      if (isDenied(error) && typeof mailbox === 'string' && isAnothers(mailbox, context.account.identity))
        context.require(sharedOf(step.scopes));
      throw error;
    }
  },
});

/** Why nobody reads this mailbox of another with this account, and what to do; `undefined` if that is not known. */
export const whyClosed = (
  error: unknown,
  mailbox: string,
  { identity, scopes }: WatchContext['account'],
): string | undefined => {
  if (unknownCodes.has(codeOf(error))) return `There is no mailbox "${mailbox}"; correct its address.`;
  if (!isDenied(error)) return undefined;
  const who = identity.address ?? identity.name;
  if (scopes.some((scope) => /^Mail\.Read(?:Write)?\.Shared$/i.test(scope))) {
    return `${who} may not read the mailbox ${mailbox}; ask its owner or an administrator for access to it.`;
  }
  return `${who} has not granted Mail.ReadWrite.Shared, without which no mailbox of another can be read; connect the account again with the permission for shared mailboxes.`;
};
