import { Fault, type Step, type StepContext } from '#kit';
import { sharedScopes } from './auth.ts';

export const isDenied = (error: unknown): boolean => {
  const upstream = error instanceof Fault ? error.details?.['upstream'] : undefined;
  return (upstream as { code?: unknown } | undefined)?.code === 'ErrorAccessDenied';
};

const isAnothers = (mailbox: unknown, { identity }: StepContext['account']): boolean =>
  typeof mailbox === 'string' &&
  ![identity.id, identity.address].some((own) => own?.toLowerCase() === mailbox.toLowerCase());

/** The same for mailboxes of others, as far as it can be granted. */
const sharedOf = (scopes: Step['scopes'] = []): string[][] =>
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
      if (isDenied(error) && isAnothers(mailbox, context.account)) context.require(sharedOf(step.scopes));
      throw error;
    }
  },
});
