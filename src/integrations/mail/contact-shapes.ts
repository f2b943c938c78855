import { z } from 'zod';
import { fieldsOf, only } from './collect.ts';
import { showTime, Time, utcZone } from './times.ts';
import { toldTexts } from './told.ts';

const text = z.string().nullish();
const WirePlace = z
  .object({ street: text, city: text, state: text, postalCode: text, countryOrRegion: text })
  .nullish();

/** A contact as the service answers it. */
export const WireContact = z.object({
  id: z.string(),
  '@odata.etag': z.string().optional(),
  parentFolderId: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  displayName: text,
  givenName: text,
  surname: text,
  // Only for the shown name, which the service makes of them.
  title: text,
  middleName: text,
  generation: text,
  nickName: text,
  emailAddresses: z.array(z.object({ name: text, address: text })).default([]),
  businessPhones: toldTexts,
  homePhones: toldTexts,
  mobilePhone: text,
  companyName: text,
  jobTitle: text,
  department: text,
  businessAddress: WirePlace,
  homeAddress: WirePlace,
  otherAddress: WirePlace,
  birthday: text,
  personalNotes: text,
  categories: toldTexts,
});
export type WireContact = z.output<typeof WireContact>;

export const contactSelect = Object.keys(WireContact.shape)
  .filter((name) => !name.startsWith('@'))
  .join(',');

const part = z.string().optional();
const Place = z.object({ street: part, city: part, state: part, postalCode: part, countryOrRegion: part });
export const addressNames = ['businessAddress', 'homeAddress', 'otherAddress'] as const;

/** A contact as steps show it; what is empty is left out. */
export const Contact = z.object({
  id: z.string(),
  displayName: z.string(),
  givenName: part,
  surname: part,
  nickName: part,
  emails: z.array(z.object({ address: z.string(), name: part })),
  businessPhones: z.array(z.string()).optional(),
  mobilePhone: part,
  homePhones: z.array(z.string()).optional(),
  companyName: part,
  jobTitle: part,
  department: part,
  businessAddress: Place.optional(),
  homeAddress: Place.optional(),
  otherAddress: Place.optional(),
  birthday: part.describe('Date of birth.'),
  notes: part,
  categories: z.array(z.string()).optional(),
  folderId: part,
  modified: Time.optional().describe('When it was last changed.'),
  etag: part,
});
export type Contact = z.output<typeof Contact>;

const given = (value: string | null | undefined): string | undefined => value || undefined;
const filled = <T>(list: readonly T[]): T[] | undefined => (list.length > 0 ? [...list] : undefined);

const placeOf = (wire: WireContact['homeAddress']): z.output<typeof Place> | undefined => {
  const parts = Object.entries(wire ?? {}).filter(([, value]) => value);
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
};

export const showContact = (wire: WireContact, zone = utcZone): Contact => ({
  id: wire.id,
  displayName: wire.displayName ?? '',
  givenName: given(wire.givenName),
  surname: given(wire.surname),
  nickName: given(wire.nickName),
  emails: wire.emailAddresses.flatMap(({ address, name }) =>
    address ? [name && name !== address ? { address, name } : { address }] : [],
  ),
  businessPhones: filled(wire.businessPhones),
  mobilePhone: given(wire.mobilePhone),
  homePhones: filled(wire.homePhones),
  companyName: given(wire.companyName),
  jobTitle: given(wire.jobTitle),
  department: given(wire.department),
  businessAddress: placeOf(wire.businessAddress),
  homeAddress: placeOf(wire.homeAddress),
  otherAddress: placeOf(wire.otherAddress),
  birthday: given(wire.birthday)?.slice(0, 10),
  notes: given(wire.personalNotes),
  categories: filled(wire.categories),
  folderId: given(wire.parentFolderId),
  modified: wire.lastModifiedDateTime ? showTime(Date.parse(wire.lastModifiedDateTime), zone) : undefined,
  etag: wire['@odata.etag'],
});

const inFull = [
  'businessAddress',
  'homeAddress',
  'otherAddress',
  'birthday',
  'notes',
  'department',
  'folderId',
  'etag',
];

export const ContactFields = fieldsOf(Contact, ' of each contact');

type View = { view: 'summary' | 'full'; fields?: readonly string[] | undefined };

/** A contact in a list: only what tells people apart, unless more is asked for. */
export const contactView = (wire: WireContact, { view, fields }: View, zone = utcZone): Partial<Contact> => {
  const shown = showContact(wire, zone);
  if (fields !== undefined) return only(shown, fields);
  if (view === 'full') return shown;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !inFull.includes(name)));
};
