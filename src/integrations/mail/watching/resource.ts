import { Fault, type Identity, type WatchContext } from '#kit';

const prefix = 'mailbox/';
const ownName = 'me';

/** The resource of a mailbox that was named by address or id; the account's own if it was not named. */
export const resourceOf = (mailbox: string | undefined, identity: Identity): string => {
  const name = (mailbox ?? ownName).trim().toLowerCase();
  const own = [ownName, '', identity.id, identity.address, identity.username].some(
    (each) => each?.toLowerCase() === name,
  );
  return `${prefix}${own ? ownName : name}`;
};

/** The mailbox as paths name it; `undefined` is the account's own. */
export const mailboxOf = (resource: string): string | undefined => {
  const name = resource.startsWith(prefix) ? resource.slice(prefix.length) : '';
  if (name === '') throw new Fault('invalid_input', 'This is no mailbox that can be watched.');
  return name === ownName ? undefined : name;
};

/** What names the mailbox in keys, for ever. */
export const mailboxId = (mailbox: string | undefined, { identity }: WatchContext['account']): string =>
  mailbox ?? identity.id;

/** Addresses that write in the name of this account or mailbox. */
export const ownAddresses = (mailbox: string | null | undefined, identity: Identity): ReadonlySet<string> =>
  new Set([identity.address, identity.username, mailbox].flatMap((each) => each?.toLowerCase() ?? []));
