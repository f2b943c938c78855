import { Fault, type WatchContext, type Watching } from '#kit';
import { whyClosed } from '../shared-mailboxes.ts';
import { catchUp, glance } from './catch-up.ts';
import { startAt, toldAgain } from './cursor.ts';
import { createFacts } from './facts.ts';
import { own } from './own.ts';
import { readMessage, SentCopy } from './read-message.ts';
import { receive } from './receive.ts';
import { recent } from './recent.ts';
import { mailboxOf } from './resource.ts';
import { check, list, register, remove } from './subscriptions.ts';

/** Why a mailbox is closed to us becomes the reason of the watch: it says what to do. */
const opened = async <T>(resource: string, context: WatchContext, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    const mailbox = mailboxOf(resource);
    const reason = mailbox === undefined ? undefined : whyClosed(error, mailbox, context.account);
    if (reason === undefined || !(error instanceof Fault)) throw error;
    const { code, details, retryAfterMs } = error;
    throw new Fault(code, reason, { ...(details && { details }), retryAfterMs, cause: error });
  }
};

/** How mailboxes are watched: the service's notifications of one's own, and looking at what came, of any. */
export const createMailWatching = (): Watching => {
  const facts = createFacts();
  const at = async (resource: string, context: WatchContext) => {
    const where = { mailbox: mailboxOf(resource), context };
    return { ...where, facts: await opened(resource, context, () => facts.of(where)) };
  };
  return {
    push: {
      // The service notifies of the signed-in person's own mailbox, and wants a scope that reads, not one that writes.
      offers: (resource, { account }) =>
        mailboxOf(resource) === undefined && account.scopes.some((scope) => /^Mail\.Read(?:Basic)?$/i.test(scope)),
      register: (_, callback, context) => register(callback, context),
      check: (_, known, callback, context) => check(known, callback, context),
      remove,
      list,
      receive,
    },
    begin: async (resource, since, context) => {
      // A mailbox that cannot be opened is told now, not at the first look.
      await at(resource, context);
      return startAt(since);
    },
    again: toldAgain,
    catchUp: (resource, cursor, context) =>
      opened(resource, context, () => catchUp({ mailbox: mailboxOf(resource), context }, facts, cursor)),
    glance: (resource, cursor, context) =>
      opened(resource, context, () => glance({ mailbox: mailboxOf(resource), context }, facts, cursor)),
    read: async (resource, hint, context) => {
      const read = await readMessage(await at(resource, context), hint);
      return read instanceof SentCopy ? undefined : read;
    },
    recent: async (resource, limit, context) => recent(await at(resource, context), limit),
    own,
  };
};
