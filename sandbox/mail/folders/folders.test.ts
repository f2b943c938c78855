import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, idOf, listOf, mailBench } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const create = async (displayName: string, parent = '/me/mailFolders') =>
  (await bench.ask('POST', parent, { body: { displayName } })).json;
const folder = async (name: string) => (await bench.ask('GET', `/me/mailFolders/${name}`)).json;

test('well-known names lead to folders whatever the language', async () => {
  for (const name of 'inbox drafts sentitems deleteditems archive junkemail outbox clutter conversationhistory msgfolderroot recoverableitemsdeletions scheduled searchfolders syncissues conflicts localfailures serverfailures'.split(
    ' ',
  )) {
    expect((await bench.ask('GET', `/me/mailFolders/${name}`)).status).toBe(200);
  }
  expect((await bench.ask('GET', "/me/mailFolders('DeletedItems')")).json['displayName']).toBe('Deleted Items');
});

test('folders nest, are named once per parent, renamed, and counted', async () => {
  const outer = await create('Projects');
  const children = `/me/mailFolders/${idOf(outer)}/childFolders`;
  const inner = await create('2026', children);
  expect(inner['parentFolderId']).toBe(idOf(outer));
  expect((await folder(idOf(outer)))['childFolderCount']).toBe(1);
  const twin = await bench.ask('POST', children, { body: { displayName: '2026' } });
  expect([twin.status, twin.code]).toEqual([409, 'ErrorFolderExists']);
  const renamed = await bench.ask('PATCH', `/me/mailFolders/${idOf(inner)}`, { body: { displayName: '2027' } });
  expect(renamed.json).toMatchObject({ displayName: '2027', id: idOf(inner) });
  expect(listOf(await bench.ask('GET', children)).map(({ displayName }) => displayName)).toEqual(['2027']);
});

test('counts follow reading, moving and deleting', async () => {
  const before = await folder('inbox');
  const [unread] = listOf(await bench.ask('GET', '/me/mailFolders/inbox/messages?$filter=isRead eq false&$top=1'));
  await bench.ask('PATCH', `/me/messages/${idOf(unread)}`, { body: { isRead: true } });
  expect((await folder('inbox'))['unreadItemCount']).toBe(Number(before['unreadItemCount']) - 1);
  await bench.ask('POST', `/me/messages/${idOf(unread)}/move`, { body: { destinationId: 'archive' } });
  expect((await folder('inbox'))['totalItemCount']).toBe(Number(before['totalItemCount']) - 1);
});

test('hidden folders are left out unless asked for', async () => {
  await bench.ask('POST', '/me/mailFolders', { body: { displayName: 'Secret', isHidden: true } });
  const names = async (query: string) =>
    (await bench.all(`/me/mailFolders?${query}`)).map(({ displayName }) => displayName);
  const count = async (path: string) => Number((await bench.ask('GET', path)).text);
  expect(await count('/me/mailFolders/$count')).toBe((await names('')).length);
  expect(await count('/me/mailFolders/inbox/messages/$count')).toBeGreaterThan(5);
  expect(await names('')).not.toContain('Secret');
  expect(await names('includeHiddenFolders=true')).toContain('Secret');
});

test('folders move and are copied with what is in them; their ids do not change', async () => {
  const target = await create('Target');
  const [customers] = listOf(await bench.ask('GET', "/me/mailFolders?$filter=displayName eq 'Customers'"));
  const copied = await bench.ask('POST', `/me/mailFolders/${idOf(customers)}/copy`, {
    body: { destinationId: idOf(target) },
  });
  expect(copied.status).toBe(200);
  const [contoso] = listOf(await bench.ask('GET', `/me/mailFolders/${idOf(copied.json)}/childFolders`));
  expect(contoso).toMatchObject({ displayName: 'Contoso', totalItemCount: 1 });
  const moved = await bench.ask('POST', `/me/mailFolders/${idOf(contoso)}/move`, { body: { destinationId: 'inbox' } });
  expect(moved.json).toMatchObject({ id: idOf(contoso), parentFolderId: idOf(await folder('inbox')) });
  const circle = await bench.ask('POST', `/me/mailFolders/${idOf(target)}/move`, {
    body: { destinationId: idOf(copied.json) },
  });
  expect(circle.status).toBe(400);
});

test('a deleted folder is gone with its children and messages; well-known ones stay', async () => {
  const [customers] = listOf(await bench.ask('GET', "/me/mailFolders?$filter=displayName eq 'Customers'"));
  const total = Number((await bench.ask('GET', '/me/messages/$count')).text);
  expect((await bench.ask('DELETE', `/me/mailFolders/${idOf(customers)}`)).status).toBe(204);
  expect(Number((await bench.ask('GET', '/me/messages/$count')).text)).toBe(total - 1);
  expect((await bench.ask('GET', `/me/mailFolders/${idOf(customers)}`)).code).toBe('ErrorItemNotFound');
  expect((await bench.ask('DELETE', '/me/mailFolders/inbox')).status).toBe(403);
});

test('categories: default ones are there; names are unique and stay, colours change', async () => {
  const list = listOf(await bench.ask('GET', '/me/outlook/masterCategories'));
  expect(list.map(({ displayName }) => displayName)).toEqual([
    'Red category',
    'Orange category',
    'Yellow category',
    'Green category',
    'Blue category',
    'Purple category',
  ]);
  const made = await bench.ask('POST', '/me/outlook/masterCategories', {
    body: { displayName: 'Urgent', color: 'preset9' },
  });
  expect(made.status).toBe(201);
  expect(
    (await bench.ask('POST', '/me/outlook/masterCategories', { body: { displayName: 'urgent', color: 'none' } }))
      .status,
  ).toBe(409);
  const path = `/me/outlook/masterCategories/${idOf(made.json)}`;
  expect((await bench.ask('PATCH', path, { body: { color: 'Preset24' } })).json['color']).toBe('preset24');
  expect((await bench.ask('PATCH', path, { body: { displayName: 'Other' } })).status).toBe(400);
  expect((await bench.ask('PATCH', path, { body: { color: 'preset25' } })).status).toBe(400);
  expect((await bench.ask('DELETE', path)).status).toBe(204);
});

test('changes of folders come by delta', async () => {
  const first = await bench.ask('GET', '/me/mailFolders/delta');
  const made = await create('New one');
  const second = await bench.ask('GET', String(first.json['@odata.deltaLink']));
  expect(listOf(second).map(idOf)).toEqual([idOf(made)]);
  await bench.ask('DELETE', `/me/mailFolders/${idOf(made)}`);
  const third = await bench.ask('GET', String(second.json['@odata.deltaLink']));
  expect(listOf(third)).toMatchObject([{ id: idOf(made), '@removed': { reason: 'deleted' } }]);
});
