import { z } from 'zod';
import { AddressText, readAddressee } from './addressee.ts';
import { addressNames, type WireContact } from './contact-shapes.ts';

const short = z.string().max(255);
const EmailInput = z.union([
  AddressText(500),
  z.strictObject({ address: AddressText(320), name: z.string().max(255).optional() }),
]);
const placePart = short.nullish();
const PlaceInput = z.strictObject({
  street: placePart,
  city: placePart,
  state: placePart,
  postalCode: placePart,
  countryOrRegion: placePart,
});
const phones = z.array(z.string().min(1).max(100)).max(20);

/** What can be said of a contact; creating and changing share it. */
export const contactFields = {
  givenName: short.describe('First name.'),
  surname: short.describe('Last name.'),
  displayName: short.describe('Name as shown; made from first and last name if left out.'),
  nickName: short.describe('Nickname.'),
  emails: z.array(EmailInput).max(20).describe('Mail addresses: text, or {address, name}.'),
  businessPhones: phones.describe('Phone numbers at work.'),
  mobilePhone: short.describe('Mobile phone number.'),
  homePhones: phones.describe('Phone numbers at home.'),
  companyName: short.describe('Company.'),
  jobTitle: short.describe('Job title.'),
  department: short.describe('Department.'),
  businessAddress: PlaceInput.describe('Address at work; parts left out stay, null clears a part.'),
  homeAddress: PlaceInput.describe('Address at home; parts left out stay, null clears a part.'),
  otherAddress: PlaceInput.describe('Another address; parts left out stay, null clears a part.'),
  birthday: z.iso.date().describe('Date of birth, such as 1990-05-17.'),
  notes: z.string().max(30_000).describe('Notes.'),
  categories: z.array(short.min(1)).max(50).describe('Labels, by name.'),
};

type Fields = typeof contactFields;
export type ContactWish = { [Name in keyof Fields]?: z.output<Fields[Name]> | null | undefined };

type Email = { address: string; name: string };

const toEmails = (given: z.output<Fields['emails']>): Email[] => {
  const emails = new Map<string, Email>();
  for (const one of given) {
    const flat = typeof one === 'string' ? { address: one } : one;
    const read = readAddressee(flat.address) ?? flat;
    const name = ('name' in flat ? flat.name : read.name) || read.address;
    emails.set(read.address.toLowerCase(), { address: read.address, name });
  }
  return [...emails.values()];
};

const withOld = (emails: readonly Email[], before: WireContact | undefined): Email[] => {
  const merged = new Map<string, Email>();
  const old = (before?.emailAddresses ?? []).flatMap(({ address: at, name }) =>
    at ? [{ address: at, name: name ?? at }] : [],
  );
  for (const email of old) merged.set(email.address.toLowerCase(), email);
  for (const { address, name } of emails) {
    const key = address.toLowerCase();
    // Given without a name, it keeps the one it has.
    merged.set(key, { address, name: name === address ? (merged.get(key)?.name ?? name) : name });
  }
  return [...merged.values()];
};

const plain = [
  'givenName',
  'surname',
  'displayName',
  'nickName',
  'mobilePhone',
  'companyName',
  'jobTitle',
  'department',
] as const;
const lists = ['businessPhones', 'homePhones', 'categories'] as const;

type Names = { [Name in 'title' | 'givenName' | 'middleName' | 'surname' | 'generation']?: string | null | undefined };

const joined = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' ');

/** Names that the service makes of their parts. */
export const usualNames = ({ title, givenName, middleName, surname, generation }: Names): string[] => [
  joined(givenName, surname),
  joined(givenName, middleName, surname),
  joined(givenName, middleName, surname, generation),
  joined(title, givenName, middleName, surname, generation),
];

/** A contact as the service takes it. Absent leaves, null clears. */
export const contactWire = (
  wish: ContactWish,
  { before, emailsMode = 'replace' }: { before?: WireContact; emailsMode?: 'replace' | 'merge' } = {},
): Record<string, unknown> => {
  const wire: Record<string, unknown> = {};
  for (const name of plain) if (wish[name] !== undefined) wire[name] = wish[name];
  for (const name of lists) if (wish[name] !== undefined) wire[name] = wish[name] ?? [];
  for (const name of addressNames) {
    const wanted = wish[name];
    if (wanted === undefined) continue;
    // The service replaces the whole address, so the parts that stay are sent along.
    const parts = wanted === null ? [] : Object.entries({ ...before?.[name], ...wanted });
    wire[name] = Object.fromEntries(parts.filter(([, value]) => value !== undefined && value !== null));
  }
  if (wish.emails !== undefined) {
    const emails = toEmails(wish.emails ?? []);
    wire['emailAddresses'] = emailsMode === 'merge' && wish.emails !== null ? withOld(emails, before) : emails;
  }
  // The service keeps a date as an instant; around noon it is the same date nearly everywhere.
  if (wish.birthday !== undefined) wire['birthday'] = wish.birthday && `${wish.birthday}T11:59:00Z`;
  if (wish.notes !== undefined) wire['personalNotes'] = wish.notes ?? '';
  const renamed = wish.givenName !== undefined || wish.surname !== undefined;
  // Any change may make the shown name anew: it is sent along, unless it is made of parts of which one changes.
  const shown = before?.displayName;
  if (wish.displayName === undefined && shown && !(renamed && usualNames(before).includes(shown))) {
    wire['displayName'] = shown;
  }
  return wire;
};

/** The name that a new contact will be shown by. */
export const nameOf = (wish: ContactWish): string => wish.displayName || joined(wish.givenName, wish.surname);
