import { invalidBody } from '../graph-error.ts';
import type { ExtendedProperty, Json } from '../mailbox.ts';
import { propertyOf } from '../odata/model.ts';
import { pick, readList, readObject, readText, readTexts } from '../values.ts';

const texts =
  'displayName givenName initials middleName nickName surname title yomiGivenName yomiSurname yomiCompanyName generation fileAs jobTitle companyName department officeLocation profession businessHomePage assistantName manager mobilePhone spouseName personalNotes'.split(
    ' ',
  );
const lists = ['imAddresses', 'homePhones', 'businessPhones', 'children', 'categories'];
const addresses = ['homeAddress', 'businessAddress', 'otherAddress'];

/** What a contact shows before anybody filled it in. */
export const emptyFields = (): Json => ({
  categories: [],
  birthday: null,
  ...Object.fromEntries(texts.map((name) => [name, name === 'displayName' || name === 'fileAs' ? '' : null])),
  imAddresses: [],
  homePhones: [],
  businessPhones: [],
  children: [],
  personalNotes: '',
  emailAddresses: [],
  homeAddress: {},
  businessAddress: {},
  otherAddress: {},
});

const readAddress = (value: unknown, name: string): Json => {
  const given = readObject(value, name);
  const known = ['street', 'city', 'state', 'countryOrRegion', 'postalCode'];
  return Object.fromEntries(
    known.flatMap((part) => {
      const text = pick(given, part);
      return text === undefined || text === null ? [] : [[part, readText(text, `${name}/${part}`)]];
    }),
  );
};

const readEmail = (value: unknown): Json => {
  const given = readObject(value, 'emailAddresses');
  const address = readText(pick(given, 'address') ?? '', 'emailAddresses/address');
  return { name: readText(pick(given, 'name') ?? address, 'emailAddresses/name'), address };
};

const readBirthday = (value: unknown): string | null => {
  if (value === null) return null;
  const at = Date.parse(readText(value, 'birthday'));
  if (Number.isNaN(at))
    throw invalidBody("Cannot convert the value of property 'birthday' to the expected type 'Edm.DateTimeOffset'.");
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
};

const read = (name: string, value: unknown): unknown => {
  if (name === 'birthday') return readBirthday(value);
  if (name === 'emailAddresses') return readList(value, name).map(readEmail);
  if (lists.includes(name)) return readTexts(value, name);
  if (addresses.includes(name)) return value === null ? {} : readAddress(value, name);
  return value === null ? null : readText(value, name);
};

const writable = new Set([...texts, ...lists, ...addresses, 'birthday', 'emailAddresses']);

export type ContactChanges = { fields: Json; extended: ExtendedProperty[] | undefined };

/** Reads a body in any letter case; addresses and lists replace what was there. Read-only properties are ignored. */
export const readContact = (given: Json): ContactChanges => {
  const fields: Json = {};
  let extended: ExtendedProperty[] | undefined;
  for (const [written, value] of Object.entries(given)) {
    if (written.includes('@')) continue;
    const property = propertyOf('contact', written);
    if (property === undefined) {
      throw invalidBody(
        `The property '${written}' does not exist on type 'microsoft.graph.contact'. Make sure to only use property names that are defined by the type.`,
      );
    }
    if (writable.has(property.name)) fields[property.name] = read(property.name, value);
    if (property.name === 'singleValueExtendedProperties') {
      extended = readList(value, written).map((entry) => {
        const object = readObject(entry, written);
        return { id: readText(pick(object, 'id'), 'id'), value: readText(pick(object, 'value'), 'value') };
      });
    }
  }
  return { fields, extended };
};

const nameParts = ['givenName', 'middleName', 'surname', 'generation', 'title'];
const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Any change may make the display name anew unless it is sent along; here each does. */
export const applyChanges = (old: Json, { fields }: ContactChanges): Json => {
  const next = { ...old, ...fields };
  const renamed = nameParts.some((name) => name in fields);
  if (!('displayName' in fields)) {
    const whole = [next['givenName'], next['middleName'], next['surname'], next['generation']]
      .map(text)
      .filter(Boolean)
      .join(' ');
    if (whole !== '') next['displayName'] = whole;
  }
  if (renamed && !('fileAs' in fields)) {
    const filed = [next['surname'], next['givenName']].map(text).filter(Boolean).join(', ');
    if (filed !== '') next['fileAs'] = filed;
  }
  const emails = next['emailAddresses'];
  if (text(next['displayName']) === '' && Array.isArray(emails)) {
    const first: unknown = emails[0];
    next['displayName'] = text(typeof first === 'object' && first !== null ? (first as Json)['address'] : '');
  }
  return next;
};
