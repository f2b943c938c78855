import { expect, test } from 'vitest';
import { idOf, office, valueOf } from '../calendar/test-office.ts';
import type { Json } from '../mailbox.ts';

const contact = (given: string, surname: string, address: string): Json => ({
  givenName: given,
  surname,
  emailAddresses: [{ name: `${given} ${surname}`, address }],
});

test('contacts are created, read, changed and deleted', async () => {
  const { ask } = office();
  const made = await ask('POST', '/me/contacts', { body: contact('Grace', 'Hopper', 'grace@navy.test') });
  expect(made).toMatchObject({
    status: 201,
    body: { displayName: 'Grace Hopper', fileAs: 'Hopper, Grace', homeAddress: {} },
  });
  const url = `/me/contacts/${idOf(made.body)}`;
  expect((await ask('PATCH', url, { body: { jobTitle: 'Admiral' } })).body).toMatchObject({
    jobTitle: 'Admiral',
    displayName: 'Grace Hopper',
  });
  expect((await ask('DELETE', url)).status).toBe(204);
  expect((await ask('GET', url)).body['code']).toBe('ErrorItemNotFound');
});

test('displayName is regenerated on PATCH unless it is sent again', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/contacts', {
    body: { ...contact('Grace', 'Hopper', 'g@x.test'), displayName: 'Amazing Grace' },
  });
  const url = `/me/contacts/${idOf(body)}`;
  expect(body['displayName']).toBe('Amazing Grace');
  expect((await ask('PATCH', url, { body: { companyName: 'Navy' } })).body['displayName']).toBe('Grace Hopper');
  expect((await ask('PATCH', url, { body: { surname: 'Murray' } })).body['displayName']).toBe('Grace Murray');
  expect((await ask('PATCH', url, { body: { surname: 'Hopper', displayName: 'G. H.' } })).body['displayName']).toBe(
    'G. H.',
  );
});

test('PATCH of an address replaces the whole structure', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/contacts', {
    body: { ...contact('A', 'B', 'a@b.test'), homeAddress: { street: '1 Way', city: 'Town' } },
  });
  const patched = await ask('PATCH', `/me/contacts/${idOf(body)}`, { body: { homeAddress: { city: 'Village' } } });
  expect(patched.body['homeAddress']).toEqual({ city: 'Village' });
});

test('the address is found through any and eq, the name through startswith, and contains is refused', async () => {
  const { ask } = office();
  await ask('POST', '/me/contacts', { body: contact('Grace', 'Hopper', 'grace@navy.test') });
  await ask('POST', '/me/contacts', { body: contact('Alan', 'Turing', 'alan@park.test') });
  const found = async (filter: string) =>
    valueOf(await ask('GET', `/me/contacts?$filter=${encodeURIComponent(filter)}`)).map(({ givenName }) => givenName);
  expect(await found("emailAddresses/any(a:a/address eq 'GRACE@navy.test')")).toEqual(['Grace']);
  expect(await found("startswith(displayName,'al')")).toEqual(['Alan']);
  const refused = await ask('GET', `/me/contacts?$filter=${encodeURIComponent("contains(displayName,'a')")}`);
  expect(refused).toMatchObject({ status: 400, body: { code: 'ErrorInvalidUrlQueryFilter' } });
});

test('/me/contacts shows the default folder only', async () => {
  const { ask } = office();
  const { body: folder } = await ask('POST', '/me/contactFolders', { body: { displayName: 'Suppliers' } });
  await ask('POST', `/me/contactFolders/${idOf(folder)}/contacts`, { body: contact('Pa', 'Per', 'p@p.test') });
  expect(valueOf(await ask('GET', '/me/contacts'))).toEqual([]);
  expect(valueOf(await ask('GET', `/me/contactFolders/${idOf(folder)}/contacts`))).toHaveLength(1);
  expect(valueOf(await ask('GET', '/me/contactFolders'))).toMatchObject([{ displayName: 'Suppliers' }]);
  expect((await ask('POST', '/me/contactFolders', { body: { displayName: 'suppliers' } })).body['code']).toBe(
    'ErrorFolderExists',
  );
  const inner = await ask('POST', `/me/contactFolders/${idOf(folder)}/childFolders`, {
    body: { displayName: 'Paper' },
  });
  expect(inner.body['parentFolderId']).toBe(folder['id']);
  expect((await ask('DELETE', `/me/contactFolders/${idOf(folder)}`)).status).toBe(204);
  expect((await ask('GET', `/me/contactFolders/${idOf(inner.body)}`)).status).toBe(404);
});

test('delta per folder names what changed and what is gone', async () => {
  const { ask } = office();
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C'])
    ids.push(idOf((await ask('POST', '/me/contacts', { body: contact(name, 'X', `${name}@x.test`) })).body));
  const url = '/me/contactFolders/contacts/contacts/delta?$select=givenName';
  const page = await ask('GET', url, { headers: { prefer: 'odata.maxpagesize=2' } });
  expect(valueOf(page)).toHaveLength(2);
  const last = await ask('GET', String(page.body['@odata.nextLink']));
  expect(valueOf(last)).toHaveLength(1);
  expect(valueOf(last)[0]).not.toHaveProperty('surname');
  await ask('PATCH', `/me/contacts/${ids[0]}`, { body: { givenName: 'Z' } });
  await ask('DELETE', `/me/contacts/${ids[1]}`);
  const changes = valueOf(await ask('GET', String(last.body['@odata.deltaLink'])));
  expect(changes).toHaveLength(2);
  expect(changes.find(({ id }) => id === ids[0])).toMatchObject({ givenName: 'Z' });
  expect(changes.find(({ id }) => id === ids[1])).toMatchObject({ '@removed': { reason: 'deleted' } });
});

test('contacts page, sort, count and select', async () => {
  const { ask } = office();
  for (let at = 0; at < 12; at++)
    await ask('POST', '/me/contacts', { body: contact(`N${String(at).padStart(2, '0')}`, 'X', `n${at}@x.test`) });
  const reply = await ask('GET', '/me/contacts?$orderby=displayName%20desc&$select=displayName&$count=true');
  expect(reply.body['@odata.count']).toBe(12);
  expect(valueOf(reply)).toHaveLength(10);
  expect(valueOf(reply)[0]).toMatchObject({ displayName: 'N11 X' });
  expect(valueOf(await ask('GET', String(reply.body['@odata.nextLink'])))).toHaveLength(2);
  expect((await ask('GET', '/me/contacts/$count')).body['text']).toBe('12');
});

test('reading needs Contacts.Read, writing Contacts.ReadWrite', async () => {
  const { ask } = office();
  expect((await ask('GET', '/me/contacts', { scopes: ['Mail.Read'] })).status).toBe(403);
  expect((await ask('GET', '/me/contacts', { scopes: ['Contacts.Read'] })).status).toBe(200);
  expect(
    (await ask('POST', '/me/contacts', { scopes: ['Contacts.Read'], body: contact('A', 'B', 'a@b.test') })).status,
  ).toBe(403);
});
