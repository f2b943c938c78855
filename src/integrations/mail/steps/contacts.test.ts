import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';
import { contactWire } from '../contact-input.ts';
import { WireContact } from '../contact-shapes.ts';

let bench: Workbench;
let cy: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  cy = await bench.connectMail('cy@sandbox.test');
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = (step: string, input: unknown) => bench.run(`mail.${step}`, input);
const refusal = async (step: string, input: unknown): Promise<string> => {
  try {
    await run(step, input);
  } catch (error) {
    return String(error);
  }
  return 'nothing was refused';
};
const stored = (surname: string) =>
  [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.contacts.contacts.values() ?? [])].filter(
    ({ fields }) => fields['surname'] === surname,
  );
const namesOf = (answer: { items: { displayName: string }[] }) => answer.items.map(({ displayName }) => displayName);

describe('create_contact', () => {
  test('stores every field and shows it again', async () => {
    const contact = await run('create_contact', {
      givenName: 'Wanda',
      surname: 'Whole',
      emails: ['wanda@whole.test', { address: 'w@home.test', name: 'At home' }],
      businessPhones: ['+1 555 0100'],
      mobilePhone: '+1 555 0101',
      homePhones: ['+1 555 0102'],
      companyName: 'Whole & Sons',
      jobTitle: 'Miller',
      department: 'Mill',
      businessAddress: { street: '1 Mill Lane', city: 'Grist' },
      birthday: '1990-05-17',
      notes: 'Likes rye.',
      categories: ['Red category'],
    });

    expect(contact).toMatchObject({
      created: true,
      displayName: 'Wanda Whole',
      emails: [{ address: 'wanda@whole.test' }, { address: 'w@home.test', name: 'At home' }],
      birthday: '1990-05-17',
      businessAddress: { street: '1 Mill Lane', city: 'Grist' },
      notes: 'Likes rye.',
      modified: { utc: expect.stringMatching(/Z$/), local: expect.any(String), timeZone: 'UTC' },
    });
    expect(stored('Whole')).toHaveLength(1);
  });

  test('an empty contact and an unknown folder are refused', async () => {
    expect(await refusal('create_contact', {})).toContain('at least one field');
    expect(await refusal('create_contact', { givenName: 'X', homeAddress: { town: 'Y' } })).toContain(
      'homeAddress.town',
    );
    const known = '"candidates":[{"id":"contacts","name":"Contacts"},{"id"';
    expect(await refusal('create_contact', { givenName: 'X', folder: 'Nope' })).toContain(known);
  });

  test('what is there already is returned or updated if asked for, wherever it is kept', async () => {
    const first = await run('create_contact', { surname: 'Twice', emails: ['twice@one.test'], folder: 'suppliers' });

    const again = { surname: 'Twice', emails: ['Mr Twice <TWICE@one.test>', 'twice@two.test'], jobTitle: 'Printer' };
    expect(await run('create_contact', { ...again, ifExists: 'return' })).toMatchObject({
      id: first.id,
      created: false,
      updated: false,
    });
    const updated = await run('create_contact', { ...again, ifExists: 'update' });

    expect(updated).toMatchObject({ id: first.id, created: false, updated: true, jobTitle: 'Printer' });
    expect(updated.emails.map(({ address }: { address: string }) => address)).toEqual([
      'TWICE@one.test',
      'twice@two.test',
    ]);
    expect(stored('Twice')).toHaveLength(1);
    expect(await run('create_contact', { ...again, ifExists: 'create' })).toMatchObject({ created: true });
    expect(await refusal('create_contact', { ...again, ifExists: 'update' })).toMatch(
      /"candidates":\[\{[^}]*"hint":"[^"]*twice@two\.test/,
    );
  });

  test('without an address, the same name counts', async () => {
    const first = await run('create_contact', { displayName: 'Only Name' });
    expect(await run('create_contact', { displayName: 'only name', ifExists: 'return' })).toMatchObject({
      id: first.id,
    });
  });

  test.each([
    ['Lostanswer', { kind: 'accept_then', status: 504 }],
    ['Brokenline', { kind: 'accept_then' }],
  ])('%s: a lost answer leaves exactly one contact, which is reported', async (surname, fault) => {
    bench.mail.control.faults.add({
      match: { method: 'POST', path: '/v1.0/me/contacts' },
      times: 1,
      ...fault,
    } as never);
    await run('create_contact', { surname, givenName: 'Other' });

    bench.mail.control.faults.add({
      match: { method: 'POST', path: '/v1.0/me/contacts' },
      times: 1,
      ...fault,
    } as never);
    const twin = await run('create_contact', { surname, givenName: 'Other' });

    expect(twin).toMatchObject({ created: true, surname });
    expect(stored(surname)).toHaveLength(2);
  });
});

describe('find_contact', () => {
  test('searches the whole address book, whatever the case and accents, and says where it matched', async () => {
    expect((await run('find_contact', { query: 'SIOBHAN obrien' })).items[0]).toMatchObject({
      displayName: "Siobhán O'Brien",
      matchedOn: ['name', 'email'],
    });
    const byCompany = await run('find_contact', { query: 'fabrikam' });
    expect(namesOf(byCompany).toSorted()).toEqual(['Grace Lindqvist', 'Mei Tanaka']);
    expect(byCompany.items[0].matchedOn).toEqual(['email', 'company']);
    expect(namesOf(await run('find_contact', { query: 'paper street' }))).toEqual(['Paper Street Print']);
    expect((await run('find_contact', { query: 'zzz' })).items).toEqual([]);
  });

  test('finds an exact address, also with a quote in it', async () => {
    await run('create_contact', { surname: 'Quote', emails: ["o'quote@ex.test"] });
    expect((await run('find_contact', { email: "O'Quote@ex.test" })).items).toMatchObject([{ matchedOn: ['email'] }]);
    expect((await run('find_contact', { email: 'quote@ex.test' })).items).toEqual([]);
    expect(await refusal('find_contact', {})).toContain('query or email');
  });

  test('goes on page by page', async () => {
    const first = await run('find_contact', { query: 'test', limit: 3, fields: ['displayName'] });
    expect(first.items).toHaveLength(3);
    expect(Object.keys(first.items[0]).toSorted()).toEqual(['displayName', 'id', 'matchedOn']);
    const second = await run('find_contact', { query: 'test', limit: 100, cursor: first.nextCursor });
    const all = await run('find_contact', { query: 'test', limit: 100 });
    expect([...namesOf(first), ...namesOf(second)]).toEqual(namesOf(all));
    expect(all.truncated).toBe(false);
  });
});

describe('list_contacts', () => {
  test('lists all folders page by page and tells the total', async () => {
    const seen: string[] = [];
    let page = await run('list_contacts', { limit: 4 });
    const { total } = page;
    seen.push(...page.items.map(({ id }: { id: string }) => id));
    while (page.nextCursor !== undefined) {
      page = await run('list_contacts', { limit: 4, cursor: page.nextCursor });
      seen.push(...page.items.map(({ id }: { id: string }) => id));
    }
    expect(seen).toHaveLength(total);
    expect(new Set(seen).size).toBe(total);
    expect(total).toBe(bench.mail.world.mailboxOf('ada@sandbox.test')?.contacts.contacts.size);
  });

  test('lists one folder, and what changed since', async () => {
    expect(namesOf(await run('list_contacts', { folder: 'Suppliers' }))).toContain('Wide World Couriers');
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await run('list_contacts', { modifiedSince: later })).toMatchObject({
      items: [],
      total: 0,
      truncated: false,
    });
    const earlier = new Date(Date.now() - 3_600_000).toISOString();
    expect((await run('list_contacts', { modifiedSince: earlier })).total).toBeGreaterThan(0);
  });
});

describe('update_contact', () => {
  test('changes, clears and leaves; parts of an address and a chosen name stay', async () => {
    const { id } = await run('create_contact', {
      givenName: 'Uma',
      surname: 'Update',
      displayName: 'Dr. Uma',
      emails: ['uma@a.test'],
      mobilePhone: '1',
      homeAddress: { street: 'Elm', city: 'Oslo' },
    });

    await run('update_contact', { contactId: id, companyName: 'Fjord' });
    const contact = await run('update_contact', {
      contactId: id,
      surname: 'Updated',
      mobilePhone: null,
      homeAddress: { city: 'Bergen' },
    });

    expect(contact).toMatchObject({ displayName: 'Dr. Uma', homeAddress: { street: 'Elm', city: 'Bergen' } });
    expect(contact.mobilePhone).toBeUndefined();
    expect(contact.emails).toEqual([{ address: 'uma@a.test' }]);
    expect(contact.changes).toEqual([
      { field: 'surname', from: 'Update', to: 'Updated' },
      { field: 'mobilePhone', from: '1', to: null },
      { field: 'homeAddress', from: { street: 'Elm', city: 'Oslo' }, to: { street: 'Elm', city: 'Bergen' } },
    ]);
  });

  test('a name that the service makes of its parts follows them, a middle name included', () => {
    const before = WireContact.parse({
      id: '1',
      givenName: 'Ann',
      middleName: 'B.',
      surname: 'C',
      displayName: 'Ann B. C',
    });
    expect(contactWire({ surname: 'D' }, { before })).toEqual({ surname: 'D' });
    expect(contactWire({ nickName: 'A' }, { before })).toEqual({ nickName: 'A', displayName: 'Ann B. C' });
  });

  test('addresses replace or join those that are there', async () => {
    const { id } = await run('create_contact', { surname: 'Mails', emails: ['a@x.test'] });
    const mails = async (input: object) =>
      (await run('update_contact', { contactId: id, ...input })).emails.map(
        ({ address }: { address: string }) => address,
      );
    expect(await mails({ emails: ['b@x.test'], emailsMode: 'merge' })).toEqual(['a@x.test', 'b@x.test']);
    expect(await mails({ emails: ['c@x.test'] })).toEqual(['c@x.test']);
    expect(await mails({ emails: null })).toEqual([]);
  });

  test('an address that joins those that are there keeps its name unless it is given another', async () => {
    const { id } = await run('create_contact', { surname: 'Signed', emails: ['Sid <sid@x.test>'] });
    const joined = async (email: string) =>
      (await run('update_contact', { contactId: id, emails: [email], emailsMode: 'merge' })).emails;
    expect(await joined('SID@x.test')).toEqual([{ address: 'SID@x.test', name: 'Sid' }]);
    expect(await joined('Sidney <sid@x.test>')).toEqual([{ address: 'sid@x.test', name: 'Sidney' }]);
  });

  test('a contact is also known by an address or its exact name, if only one is meant', async () => {
    await run('create_contact', { displayName: 'Nell Named', emails: ['nell@named.test'] });
    expect(await run('update_contact', { contactId: 'Nell N. <NELL@named.test>', jobTitle: 'A' })).toMatchObject({
      jobTitle: 'A',
    });
    expect(await run('update_contact', { contactId: 'nell named', jobTitle: 'B' })).toMatchObject({ jobTitle: 'B' });
    expect(await refusal('update_contact', { contactId: 'Nell', jobTitle: 'C' })).toContain('not_found');
    await run('create_contact', { displayName: 'Nell Named' });
    const twins = await refusal('update_contact', { contactId: 'Nell Named', jobTitle: 'C' });
    expect(twins).toMatch(/"candidates":\[.*\{"id":"[^"]+","name":"Nell Named","hint":"nell@named\.test"\}/);
    expect(twins).toMatch(/\{"id":"[^"]+","name":"Nell Named"\}/);
  });

  test('is told the folder that the contact is in; one in another folder is not changed', async () => {
    const displayName = 'Kept Twice';
    const { id } = await run('create_contact', { displayName, folder: 'Suppliers' });
    await run('create_contact', { displayName });

    const byName = await run('update_contact', { contactId: displayName, folder: 'suppliers', jobTitle: 'A' });
    expect(byName).toMatchObject({ id, jobTitle: 'A' });
    const byId = await run('update_contact', { contactId: id, folder: byName.folderId, jobTitle: 'B' });
    expect(byId.jobTitle).toBe('B');
    expect(await refusal('update_contact', { contactId: id, folder: 'Contacts', jobTitle: 'C' })).toContain(
      'in another folder',
    );
    const other = await run('update_contact', { contactId: displayName, folder: 'Contacts', jobTitle: 'D' });
    expect(other.id).not.toBe(id);
    expect(await run('update_contact', { contactId: other.id, folder: 'contacts', jobTitle: 'E' })).toMatchObject({
      jobTitle: 'E',
    });
  });

  test('a stale etag is refused; a lost answer is looked for', async () => {
    const { id, etag } = await run('create_contact', { surname: 'Etag' });
    bench.mail.control.faults.add({ match: { method: 'PATCH' }, kind: 'accept_then', status: 504, times: 1 });
    expect(await run('update_contact', { contactId: id, jobTitle: 'Guard', ifMatch: etag })).toMatchObject({
      jobTitle: 'Guard',
    });
    expect(await refusal('update_contact', { contactId: id, jobTitle: 'x', ifMatch: etag })).toContain('conflict');
    expect(await refusal('update_contact', { contactId: id })).toContain('at least one field');
  });
});

test('a personal account keeps contacts alike', async () => {
  const as = async (step: string, input: unknown) =>
    (await bench.owned('POST', `/v1/steps/mail.${step}/run`, { accountId: cy, input })).body.output;
  const { id } = await as('create_contact', { displayName: 'Aunt Rosa', emails: ['rosa2@family.test'] });
  await as('update_contact', { contactId: id, notes: 'Cake' });
  expect((await as('find_contact', { query: 'aunt', view: 'full' })).items).toMatchObject([{ id, notes: 'Cake' }]);
});
