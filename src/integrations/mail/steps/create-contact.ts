import { z } from 'zod';
import { allBut, defineStep, Fault, path, quoted, type StepContext } from '#kit';
import { addressIn } from '../addressee.ts';
import { FolderInput, newContactPath } from '../contact-folders.ts';
import { contactFields, contactWire, nameOf } from '../contact-input.ts';
import { candidatesOf, findContactChange, sameContacts } from '../contact-reads.ts';
import { Contact, showContact, WireContact } from '../contact-shapes.ts';
import { findMarked, marked } from '../marker.ts';
import { Mailbox } from '../shapes.ts';
import { below, idOf, prefer } from '../wire.ts';

const optional = <Field extends z.ZodType>(field: Field) => field.optional().describe(field.description ?? '');

const Input = z.object({
  givenName: optional(contactFields.givenName),
  surname: optional(contactFields.surname),
  displayName: optional(contactFields.displayName),
  nickName: optional(contactFields.nickName),
  emails: optional(contactFields.emails),
  businessPhones: optional(contactFields.businessPhones),
  mobilePhone: optional(contactFields.mobilePhone),
  homePhones: optional(contactFields.homePhones),
  companyName: optional(contactFields.companyName),
  jobTitle: optional(contactFields.jobTitle),
  department: optional(contactFields.department),
  businessAddress: optional(contactFields.businessAddress),
  homeAddress: optional(contactFields.homeAddress),
  otherAddress: optional(contactFields.otherAddress),
  birthday: optional(contactFields.birthday),
  notes: optional(contactFields.notes),
  categories: optional(contactFields.categories),
  folder: FolderInput.describe('Contact folder, by id or exact name; the default folder if left out.'),
  ifExists: z
    .enum(['create', 'return', 'update'])
    .default('create')
    .describe('What to do if a contact with one of the addresses (or, without any, the name) is there already.'),
  mailbox: Mailbox,
});

export const createContact = defineStep({
  name: 'create_contact',
  title: 'Create Contact',
  group: 'Contacts',
  purpose: 'Create a contact in the address book.',
  effect: 'write',
  scopes: [['Contacts.ReadWrite']],
  input: Input,
  needsOneOf: {
    fields: allBut(Input, 'folder', 'ifExists', 'mailbox'),
    otherwise: 'A contact needs at least one field, such as a name or an address.',
  },
  output: Contact.extend({
    created: z.boolean(),
    updated: z.boolean().describe('Whether one that was there already was changed.'),
  }),
  summary: ({ displayName, created, updated }) => {
    if (created) return `Created the contact ${quoted(displayName)}.`;
    return `There ${updated ? 'was' : 'is'} already a contact ${quoted(displayName)}${updated ? '; changed it' : ''}.`;
  },
  run: async ({ folder, ifExists, mailbox, ...wish }, context) => {
    const { upstream } = context;
    const wire = contactWire(wish);
    const place = await newContactPath(context, mailbox, folder);
    const mark = context.mark(1);
    const emails = (wish.emails ?? []).map((email) => addressIn(typeof email === 'string' ? email : email.address));
    const there =
      ifExists === 'create' ? [] : await sameContacts(context, mailbox, { addresses: emails, name: nameOf(wish) });
    const existing = there.length > 0 ? await notOwn(context, place, there) : there;
    const [first] = existing;
    if (first === undefined) {
      const made = await upstream.post(place, { body: { ...wire, ...marked(mark) }, headers: prefer() });
      return { ...showContact(WireContact.parse(made)), created: true, updated: false };
    }
    if (ifExists === 'return') {
      if (existing.length > 1) context.warn(`${existing.length} contacts are alike; the first one is shown.`);
      return { ...showContact(first), created: false, updated: false };
    }
    if (existing.length > 1) {
      throw new Fault('invalid_input', 'Several contacts are alike; choose one and use update_contact.', {
        details: { candidates: candidatesOf(existing) },
      });
    }
    const body = contactWire(wish, { before: first, emailsMode: 'merge' });
    const changed = await upstream.patch(below(mailbox, path`/contacts/${first.id}`), { body, headers: prefer() });
    return { ...showContact({ ...WireContact.parse(changed), id: first.id }), created: false, updated: true };
  },
  find: async ({ mailbox, folder }, context) => {
    if (context.request.method === 'PATCH') return findContactChange(context);
    return findMarked(context.upstream, await newContactPath(context, mailbox, folder), context.mark(1));
  },
});

/** A run that goes on after an interruption must not take what it made itself for an earlier contact. */
const notOwn = async (
  { upstream, mark }: StepContext,
  place: Parameters<typeof findMarked>[1],
  found: readonly WireContact[],
): Promise<WireContact[]> => {
  const own = await findMarked(upstream, place, mark(1));
  const ids = own === 'unclear' ? [] : own.made.map(idOf);
  return found.filter(({ id }) => !ids.includes(id));
};
