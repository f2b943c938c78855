import { z } from 'zod';
import { Fault, type FindContext, path, type StepContext, sameName, type Verdict, wrong } from '#kit';
import { addressIn } from './addressee.ts';
import { idBegun } from './begun.ts';
import { collect, quoted } from './collect.ts';
import { contactPaths, refuseOtherFolder } from './contact-folders.ts';
import { holds } from './contact-holds.ts';
import { contactSelect, WireContact } from './contact-shapes.ts';
import { below, madeBy, prefer } from './wire.ts';

export const ContactId = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .describe('Contact, by its id (from find_contact or list_contacts), a mail address of it, or its exact name.');

type Reading = Pick<StepContext, 'upstream'>;

export const readContact = async (
  { upstream }: Reading,
  mailbox: string | undefined,
  id: string,
): Promise<WireContact> =>
  WireContact.parse(await upstream.get(below(mailbox, path`/contacts/${id}`), { headers: prefer() }));

export const byAddress = (address: string): string => `emailAddresses/any(a:a/address eq ${quoted(address)})`;

export const hasAddress = ({ emailAddresses }: WireContact, address: string): boolean =>
  emailAddresses.some((email) => email.address?.toLowerCase() === address.toLowerCase());

const enough = 20;

/** Contacts in one folder or the whole address book that share an address with a new one, or, if it has none, its name. */
export const sameContacts = async (
  context: Reading,
  mailbox: string | undefined,
  wanted: { addresses: readonly string[]; name: string },
  folder?: string,
): Promise<WireContact[]> => {
  const { addresses, name } = wanted;
  if (addresses.length === 0 && name === '') return [];
  const paths = await contactPaths(context, mailbox, folder);
  const filters = addresses.length > 0 ? addresses.map(byAddress) : [`startswith(displayName,${quoted(name)})`];
  const sources = paths.flatMap((place) =>
    filters.map((filter) => ({ path: place, query: { $filter: filter, $select: contactSelect, $top: 50 } })),
  );
  const { items } = await collect(context.upstream, sources, {
    limit: enough,
    maxPages: sources.length + enough,
    keep: (entry, seen) => {
      const contact = WireContact.parse(entry);
      const same =
        addresses.length > 0
          ? addresses.some((address) => hasAddress(contact, address))
          : sameName(contact.displayName ?? '', name);
      if (!same || seen.has(contact.id)) return undefined;
      seen.add(contact.id);
      return contact;
    },
  });
  return items;
};

/** Contacts to choose from. Those of one name are told apart by their addresses, or by where they work. */
export const candidatesOf = (contacts: readonly WireContact[]) =>
  contacts.map(({ id, displayName, emailAddresses, companyName }) => {
    const hint = [...emailAddresses.map(({ address }) => address), companyName].filter(Boolean).join(', ');
    return { id, name: displayName, ...(hint === '' ? {} : { hint }) };
  });

const looksLikeId = /^[\w=+/-]{50,}$/;

/** The contact that is meant by an id, an address or an exact name, in a folder if one is named. */
export const meantContact = async (
  context: Reading & Pick<StepContext, 'begun'>,
  mailbox: string | undefined,
  given: string,
  folder?: string,
): Promise<WireContact> => {
  const begun = idBegun(context, 'contacts');
  if (begun !== undefined) return readContact(context, mailbox, begun);
  if (looksLikeId.test(given)) {
    const contact = await readContact(context, mailbox, given);
    await refuseOtherFolder(context, mailbox, contact, folder);
    return contact;
  }
  const wanted = given.includes('@') ? { addresses: [addressIn(given)], name: '' } : { addresses: [], name: given };
  const found = await sameContacts(context, mailbox, wanted, folder);
  const [only] = found;
  if (only === undefined) {
    throw new Fault('not_found', `There is no contact "${given}"; look for it with find_contact.`);
  }
  if (found.length === 1) return readContact(context, mailbox, only.id);
  throw wrong('contactId', `Several contacts are called "${given}"; use the id of one.`, {
    candidates: candidatesOf(found),
  });
};

/** Looks whether an uncertain change of a contact happened. */
export const findContactChange = async ({ upstream, request, since, mark }: FindContext): Promise<Verdict> => {
  const contact: unknown = await upstream.get(request.path, { headers: prefer() });
  const now = WireContact.loose().parse(contact);
  if (!(Date.parse(now.lastModifiedDateTime ?? '') >= since.getTime())) return { made: [] };
  return holds(now, request.body as Record<string, unknown>) ? { made: [madeBy(now, now.id, mark(1))] } : 'unclear';
};
