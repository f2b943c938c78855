import { z } from 'zod';
import { counted, defineStep, wrong } from '#kit';
import { addressIn } from '../addressee.ts';
import { Cursor, collect, Limit, listEnd, mentions } from '../collect.ts';
import { contactPaths } from '../contact-folders.ts';
import { byAddress, hasAddress } from '../contact-reads.ts';
import { Contact, ContactFields, contactSelect, contactView, WireContact } from '../contact-shapes.ts';
import { Mailbox } from '../shapes.ts';

const maxPages = 20;

/** What a query is compared with, under the names by which the answer says where it was found. */
const textsOf = (contact: WireContact): [string, (string | null | undefined)[]][] => [
  ['name', [contact.displayName, contact.givenName, contact.surname, contact.nickName]],
  ['email', contact.emailAddresses.flatMap(({ name, address }) => [address, name])],
  ['company', [contact.companyName]],
];

/** Where the words of a query were found; nowhere unless all were. */
const matchesOf = (query: string, contact: WireContact): string[] => {
  const texts = textsOf(contact);
  const words = query.split(/\s+/).filter(Boolean);
  if (
    !mentions(
      query,
      texts.flatMap(([, each]) => each),
    )
  )
    return [];
  return texts.filter(([, each]) => words.some((word) => mentions(word, each))).map(([name]) => name);
};

export const findContact = defineStep({
  name: 'find_contact',
  title: 'Find Contact',
  group: 'Contacts',
  purpose: 'Search the whole address book for a contact by name, address or company.',
  effect: 'read',
  scopes: [['Contacts.Read', 'Contacts.ReadWrite']],
  input: z.object({
    query: z.string().trim().min(1).max(200).optional().describe('Words of the name, address or company, in any case.'),
    email: z.string().min(3).max(320).optional().describe('Exact mail address.'),
    view: z.enum(['summary', 'full']).default('summary').describe('full adds addresses, birthday and notes.'),
    fields: ContactFields,
    limit: Limit,
    cursor: Cursor,
    mailbox: Mailbox,
  }),
  output: z.object({
    items: z.array(Contact.partial().extend({ matchedOn: z.array(z.string()) })),
    ...listEnd,
  }),
  summary: ({ items, nextCursor }) => counted(items.length, ['contact', 'contacts'], nextCursor !== undefined),
  check: ({ query, email }) => {
    if (query === undefined && email === undefined) {
      throw wrong(['query', 'email'], 'Say whom to look for: query or email.');
    }
  },
  run: async ({ query, email: written, view, fields, limit, cursor, mailbox }, context) => {
    const email = written === undefined ? undefined : addressIn(written);
    const paths = await contactPaths(context, mailbox, undefined);
    const filter = email === undefined ? {} : { $filter: byAddress(email) };
    const sources = paths.map((path) => ({ path, query: { ...filter, $select: contactSelect, $top: 200 } }));
    const found = await collect(context.upstream, sources, {
      limit,
      cursor,
      maxPages: maxPages + sources.length,
      keep: (entry) => {
        const contact = WireContact.parse(entry);
        if (email !== undefined && !hasAddress(contact, email)) return undefined;
        const matches = query === undefined ? ['email'] : matchesOf(query, contact);
        if (matches.length === 0) return undefined;
        const matchedOn = [...new Set([...matches, ...(email === undefined ? [] : ['email'])])];
        return { ...contactView(contact, { view, fields }), matchedOn };
      },
    });
    if (found.truncated && found.items.length < limit) {
      context.warn('The address book is large; go on with nextCursor to look through the rest.');
    }
    return found;
  },
});
