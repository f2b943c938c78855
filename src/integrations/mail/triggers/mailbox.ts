import { Fault, path, type SettleContext, wrong } from '#kit';
import { isDenied, sharedOf, whyClosed } from '../shared-mailboxes.ts';
import { mailboxOf, resourceOf } from '../watching/resource.ts';
import { below, prefer } from '../wire.ts';

const field = 'config.mailbox';

/** A permission that is missing is told with what asks for it, and by the field that needs it. */
const requireGrant = (context: SettleContext, scopes: readonly (readonly string[])[], message: string): void => {
  try {
    context.require(sharedOf(scopes));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const details = { ...error.details, fields: [{ field, message }] };
    throw new Fault(error.code, error.message, { details, cause: error });
  }
};

/**
 * A trigger on a mailbox that is not there, or that the account may not read, would never fire. One's own is read as well:
 * the answer tells the service's time, from which on mail counts.
 */
export const requireMailbox = async (
  given: string | undefined,
  context: SettleContext,
  scopes: readonly (readonly string[])[],
): Promise<void> => {
  const { upstream, account } = context;
  const mailbox = mailboxOf(resourceOf(given, account.identity));
  try {
    await upstream.get(below(mailbox, path`/mailFolders/inbox`), { query: { $select: 'id' }, headers: prefer() });
  } catch (error) {
    const reason = mailbox && whyClosed(error, mailbox, account);
    // Whoever cannot be asked now is asked again by watching.
    if (reason === undefined) return;
    if (isDenied(error)) requireGrant(context, scopes, reason);
    throw wrong(field, reason);
  }
};
