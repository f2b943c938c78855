import { z } from 'zod';
import { allBut, defineStep, path, quoted } from '#kit';
import { Change, changesBetween } from '../changes.ts';
import { FolderInput } from '../contact-folders.ts';
import { contactFields, contactWire } from '../contact-input.ts';
import { ContactId, findContactChange, meantContact, readContact } from '../contact-reads.ts';
import { Contact, showContact, WireContact } from '../contact-shapes.ts';
import { Mailbox } from '../shapes.ts';
import { below, prefer } from '../wire.ts';

const clearable = <Field extends z.ZodType>(field: Field) =>
  field.nullish().describe(`${field.description ?? ''} null clears it.`);

const Input = z.object({
  contactId: ContactId,
  givenName: clearable(contactFields.givenName),
  surname: clearable(contactFields.surname),
  displayName: clearable(contactFields.displayName),
  nickName: clearable(contactFields.nickName),
  emails: clearable(contactFields.emails),
  emailsMode: z
    .enum(['replace', 'merge'])
    .default('replace')
    .describe('Whether the addresses replace those that are there, or are added to them.'),
  businessPhones: clearable(contactFields.businessPhones),
  mobilePhone: clearable(contactFields.mobilePhone),
  homePhones: clearable(contactFields.homePhones),
  companyName: clearable(contactFields.companyName),
  jobTitle: clearable(contactFields.jobTitle),
  department: clearable(contactFields.department),
  businessAddress: clearable(contactFields.businessAddress),
  homeAddress: clearable(contactFields.homeAddress),
  otherAddress: clearable(contactFields.otherAddress),
  birthday: clearable(contactFields.birthday),
  notes: clearable(contactFields.notes),
  categories: clearable(contactFields.categories),
  folder: FolderInput.describe('Contact folder that the contact is in, by id or exact name. It cannot be moved.'),
  ifMatch: z.string().max(200).optional().describe('Only if the contact still has this etag.'),
  mailbox: Mailbox,
});

export const updateContact = defineStep({
  name: 'update_contact',
  title: 'Update Contact',
  group: 'Contacts',
  purpose: 'Change a contact; what is left out stays, what is null is cleared.',
  effect: 'write',
  scopes: [['Contacts.ReadWrite']],
  input: Input,
  needsOneOf: {
    fields: allBut(Input, 'contactId', 'emailsMode', 'folder', 'ifMatch', 'mailbox'),
    otherwise: 'Nothing to change was given; name at least one field of the contact.',
  },
  output: Contact.extend({ changes: z.array(Change).describe('What is different now.') }),
  summary: ({ displayName, changes }) =>
    changes.length === 0
      ? `The contact ${quoted(displayName)} was so already.`
      : `Changed the contact ${quoted(displayName)}.`,
  run: async ({ contactId, emailsMode, folder, ifMatch, mailbox, ...wish }, context) => {
    const before = await context.before(WireContact, () => meantContact(context, mailbox, contactId, folder));
    const body = contactWire(wish, { before, emailsMode });
    const headers = { ...prefer(), ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) };
    await context.upstream.patch(below(mailbox, path`/contacts/${before.id}`), { body, headers });
    const after = showContact(await readContact(context, mailbox, before.id));
    return { ...after, changes: changesBetween(showContact(before), after, ['etag', 'modified', 'id']) };
  },
  find: (_, context) => findContactChange(context),
});
