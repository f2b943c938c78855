import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { path } from '#kit';
import { type Workbench, workbench } from '#test';
import { deliveryOf, subjectsOf, type Watcher, watcher } from './watcher.fixture.ts';

let bench: Workbench;
let ada: Watcher;
let since: Date;

beforeAll(async () => {
  bench = await workbench({ mail: true });
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(async () => {
  bench.mail.reset();
  ada = watcher(bench.mail);
  since = new Date();
  await ada.begin(since);
});

const minute = 60_000;
const deliver = async (subject: string, more: object = {}) => {
  const mail = { to: 'ada@sandbox.test', from: 'luis@contoso.example', subject, body: 'x', ...more };
  const { immutableId = '' } = await ada.order('deliver', mail);
  return immutableId;
};
const newFolder = async (name: string, parent?: string) => {
  const list = parent === undefined ? path`/mailFolders` : path`/mailFolders/${parent}/childFolders`;
  return ((await ada.act('POST', list, { displayName: name })).body as { id: string }).id;
};
const move = (id: string, destinationId: string) => ada.act('POST', path`/messages/${id}/move`, { destinationId });
const subjects = async () => subjectsOf((await ada.catchUp()).occurrences);
/** How many messages were read in full since. */
const reads = () =>
  ada.asked.filter(({ path: asked }) => /\/messages\/[^/?]+\?/.test(asked) && !asked.includes('delta'));
const readOf = (id: string) => `/v1.0/me/messages/${encodeURIComponent(id)}`;
const forgetAsked = () => ada.asked.splice(0);

describe('what came is told', () => {
  test('once, under a key of mailbox and message, with thread, time and order', async () => {
    const id = await deliver('Hello');
    const { occurrences } = await ada.catchUp();
    expect(occurrences).toHaveLength(1);
    expect(occurrences[0]).toMatchObject({
      key: `${ada.identity.id} ${id}`,
      subject: deliveryOf(occurrences[0]).conversationId,
      at: new Date(deliveryOf(occurrences[0]).receivedAt),
      order: `${deliveryOf(occurrences[0]).receivedAt} ${id}`,
    });
    expect(await ada.read(id)).toEqual(occurrences[0]);
    expect(await subjects()).toEqual([]);
  });

  test('by its name alone where processes died: each is read by itself, and told once', async () => {
    const ids = [await deliver('One'), await deliver('Two')];
    forgetAsked();
    const { occurrences, hints } = await ada.catchUp(undefined, { apart: true });
    expect([occurrences, hints.toSorted(), reads()]).toEqual([[], ids.toSorted(), []]);
    expect(subjectsOf([(await ada.read(ids[0] ?? '')) as never])).toEqual(['One']);
    expect(await ada.catchUp()).toMatchObject({ occurrences: [], hints: [] });
  });

  test('from the second on in which watching began, and nothing older', async () => {
    const second = Math.floor(since.getTime() / 1_000) * 1_000;
    await deliver('Same second', { receivedAt: new Date(second).toISOString() });
    await deliver('A second too old', { receivedAt: new Date(second - 1_000).toISOString() });
    expect(await subjects()).toEqual(['Same second']);
  });

  test('oldest first', async () => {
    const at = (minutes: number) => ({ receivedAt: new Date(since.getTime() + minutes * minute).toISOString() });
    await deliver('Third', at(3));
    await deliver('First', at(1));
    await deliver('Second', at(2));
    expect(await subjects()).toEqual(['First', 'Second', 'Third']);
  });

  test('in whatever folder: filed by a rule, nested, in the junk folder, deleted', async () => {
    const nested = await newFolder('Orders', await newFolder('Shop'));
    await deliver('Filed', { folder: nested });
    await deliver('Junk', { folder: 'junkemail' });
    await deliver('Archived', { folder: 'archive' });
    await ada.act('DELETE', path`/messages/${await deliver('Deleted')}`);
    const { occurrences } = await ada.catchUp();
    expect(Object.fromEntries(occurrences.map((each) => [deliveryOf(each).subject, deliveryOf(each).folder]))).toEqual({
      Filed: { id: nested, name: 'Orders', path: 'Shop/Orders', wellKnownName: null },
      Junk: expect.objectContaining({ wellKnownName: 'junkemail' }),
      Archived: expect.objectContaining({ wellKnownName: 'archive' }),
      Deleted: expect.objectContaining({ wellKnownName: 'deleteditems' }),
    });
  });

  test('in folders made later, by their new names once they are renamed', async () => {
    await ada.catchUp();
    const folder = await newFolder('Later');
    await deliver('Into the new folder', { folder });
    expect(await subjects()).toEqual(['Into the new folder']);
    await ada.act('PATCH', path`/mailFolders/${folder}`, { displayName: 'Renamed' });
    await deliver('Into the renamed folder', { folder });
    const { occurrences } = await ada.catchUp();
    expect(deliveryOf(occurrences[0])).toMatchObject({ folder: { id: folder, name: 'Renamed' } });
  });

  test('in folders that were moved, by the path they have then, and so do those below them', async () => {
    const [moved, above] = [await newFolder('Orders'), await newFolder('Shop')];
    const below = await newFolder('Late', moved);
    await ada.catchUp();
    await ada.act('POST', path`/mailFolders/${moved}/move`, { destinationId: above });
    await deliver('Into the moved folder', { folder: moved });
    await deliver('Below it', { folder: below });
    const { occurrences } = await ada.catchUp();
    const places = occurrences.map((each) => [deliveryOf(each).subject, deliveryOf(each).folder.path]);
    expect(Object.fromEntries(places)).toEqual({
      'Into the moved folder': 'Shop/Orders',
      'Below it': 'Shop/Orders/Late',
    });
    ada.asked.splice(0);
    await ada.catchUp();
    expect(ada.asked.filter(({ path: asked }) => asked.includes('childFolders'))).toEqual([]);
  });

  test('after it moved on, and on again, and back', async () => {
    await ada.catchUp();
    const folder = await newFolder('Elsewhere');
    const [once, back] = [await deliver('Moved'), await deliver('Moved and back')];
    await move(once, folder);
    await move(once, 'archive');
    await move(back, folder);
    await move(back, 'inbox');
    expect((await subjects()).toSorted()).toEqual(['Moved', 'Moved and back']);
    await move(once, 'inbox');
    expect(await subjects()).toEqual([]);
  });

  test('even if no folder tells of it', async () => {
    await ada.catchUp();
    await deliver('Told by nobody');
    const silent = ada.upstream.post;
    ada.upstream.post = async (target, options) => {
      const answer = (await silent(target, options)) as { responses: { body: { value: unknown[] } }[] };
      for (const { body } of answer.responses) body.value = [];
      return answer;
    };
    // A page may be empty and still lead on.
    const { get } = ada.upstream;
    ada.upstream.get = async (target, options) => {
      const isFirst = target.endsWith('/messages') && options?.query?.['$skip'] === undefined;
      const leads = new URLSearchParams({ ...options?.query, $skip: '0' });
      return isFirst ? { value: [], '@odata.nextLink': `https://x/?${leads}` } : get(target, options);
    };
    expect(await subjects()).toEqual(['Told by nobody']);
  });

  test('even if no folder tells of it, and as many folders as one stretch has pages were asked before', async () => {
    await ada.catchUp();
    const known = Object.keys(ada.cursor()['folders'] as object).length;
    for (let count = known; count < 39; count += 1) await newFolder(`Folder ${count}`);
    await ada.catchUp();
    await deliver('Told by nobody');
    const { post, get } = ada.upstream;
    ada.upstream.post = async (target, options) => {
      const answer = (await post(target, options)) as { responses: { body: { value: unknown[] } }[] };
      for (const { body } of answer.responses) body.value = [];
      return answer;
    };
    ada.upstream.get = async (target, options) => {
      const isFirst = target.endsWith('/messages') && options?.query?.['$skip'] === undefined;
      const leads = new URLSearchParams({ ...options?.query, $skip: '0' });
      return isFirst ? { value: [], '@odata.nextLink': `https://x/?${leads}` } : get(target, options);
    };
    expect(await subjects()).toEqual(['Told by nobody']);
  });

  test('even if it shows up long after its date', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * minute);
    await ada.begin(hoursAgo(5));
    await deliver('In time');
    expect(await subjects()).toContain('In time');
    await deliver('Late', { receivedAt: hoursAgo(4).toISOString() });
    expect(await subjects()).toEqual(['Late']);
  });

  test('once more to whoever joins, also where the sweep had passed it by then and is not over', async () => {
    const receivedAt = new Date(since.getTime() + 2 * minute).toISOString();
    await deliver('Just now', { receivedAt });
    await ada.catchUp();
    const sweep = { newest: receivedAt, to: since.toISOString(), includesTo: false };
    const joined = ada.watching.again({ ...ada.cursor(), todo: [], sweep }, new Date(receivedAt));
    const { occurrences } = await ada.watching.catchUp('mailbox/me', joined, ada.context());
    expect(subjectsOf(occurrences)).toEqual(['Just now']);
  });

  test('after mail that was dated ahead of time', async () => {
    await deliver('From the future', { receivedAt: new Date(Date.now() + 600 * minute).toISOString() });
    expect(await subjects()).toEqual(['From the future']);
    const id = await deliver('From today');
    await move(id, 'archive');
    expect(await subjects()).toEqual(['From today']);
  });

  test('of a shared mailbox', async () => {
    const team = watcher(bench.mail, { resource: 'mailbox/team@sandbox.test' });
    await team.begin(since);
    await deliver('To the team', { to: 'team@sandbox.test' });
    await deliver('To Ada');
    const { occurrences } = await team.catchUp();
    expect(subjectsOf(occurrences)).toEqual(['To the team']);
    expect(occurrences[0]?.key).toMatch(/^team@sandbox\.test AAk/);
    expect(deliveryOf(occurrences[0]).mailbox).toMatchObject({ shared: 'team@sandbox.test', zone: 'UTC' });
  });
});

describe('nothing else is told', () => {
  test('drafts, what is sent, and copies of it that are moved elsewhere, which are read once', async () => {
    const sendTo = [{ emailAddress: { address: 'ben@sandbox.test' } }];
    const draft = await ada.act('POST', path`/messages`, { subject: 'Draft', toRecipients: sendTo });
    const { id } = draft.body as { id: string };
    await ada.act('POST', path`/messages/${id}/send`);
    await ada.act('POST', path`/messages`, { subject: 'Another draft' });
    bench.mail.world.settle();
    expect(await subjects()).toEqual([]);
    await move(id, 'archive');
    forgetAsked();
    for (let look = 0; look < 3; look += 1) expect(await subjects()).toEqual([]);
    expect(reads()).toHaveLength(1);
  });

  test('what was deleted for good, and what is merely read, flagged or moved after it was told', async () => {
    const [kept, gone] = [await deliver('Kept'), await deliver('Gone')];
    await ada.act('POST', path`/messages/${gone}/permanentDelete`);
    expect(await subjects()).toEqual(['Kept']);
    await ada.act('PATCH', path`/messages/${kept}`, { isRead: true });
    await move(kept, 'archive');
    forgetAsked();
    expect(await subjects()).toEqual([]);
    expect(reads()).toEqual([]);
  });

  test('mail sent to oneself is told, once', async () => {
    const message = {
      subject: 'Note to self',
      toRecipients: [{ emailAddress: { address: 'ada@sandbox.test' } }],
      body: { contentType: 'text', content: 'x' },
    };
    await ada.act('POST', path`/sendMail`, { message });
    bench.mail.world.settle();
    expect(await subjects()).toEqual(['Note to self']);
  });
});

describe('a position that has expired', () => {
  test('loses nothing, and nothing that was told is read again', async () => {
    await deliver('Before');
    await ada.catchUp();
    await deliver('Meanwhile');
    await ada.order('delta', {});
    forgetAsked();
    expect(await subjects()).toEqual(['Meanwhile']);
    expect(reads()).toHaveLength(1);
    await deliver('After');
    expect(await subjects()).toEqual(['After']);
  });

  test('of folders alone loses nothing either, also of what nothing but its folder tells', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * minute);
    await ada.begin(hoursAgo(5));
    await deliver('In time');
    await ada.catchUp();
    await ada.order('delta', {});
    const other = watcher(bench.mail);
    await other.begin(new Date());
    await other.catchUp();
    // The list of folders goes on; every folder begins anew.
    Object.assign(ada.cursor(), { tree: other.cursor()['tree'] });
    await deliver('Late', { receivedAt: hoursAgo(4).toISOString() });
    expect(await subjects()).toEqual(['Late']);
  });

  test('tells of what is older, as far back as it is known what was told, and so does a folder that is new', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * minute);
    const received = (days: number, more: object) => ({ receivedAt: daysAgo(days).toISOString(), ...more });
    await ada.begin(daysAgo(40));
    await deliver('Long ago', received(20, {}));
    const spam = [
      await deliver('To a new folder', received(12, { folder: 'junkemail' })),
      await deliver('To an expired one', received(11, { folder: 'junkemail' })),
      await deliver('Unknown', received(20, { folder: 'junkemail' })),
    ] as const;
    await deliver('Newest', received(1, {}));
    await ada.catchUp();
    const known = { knownSince: daysAgo(15) };
    await ada.order('delta', {});
    expect((await ada.catchUp(undefined, known)).occurrences).toEqual([]);
    await move(spam[0], await newFolder('Rescued'));
    await move(spam[1], 'inbox');
    await move(spam[2], 'inbox');
    const told = await ada.catchUp(undefined, known);
    expect(subjectsOf(told.occurrences).toSorted()).toEqual(['To a new folder', 'To an expired one']);
  });

  test('of a large mailbox costs no read of what is old', async () => {
    await ada.order('seed', { messages: 5_000 });
    await ada.begin(new Date());
    await ada.catchUp();
    await ada.order('delta', {});
    await deliver('New');
    forgetAsked();
    expect(await subjects()).toEqual(['New']);
    expect(reads()).toHaveLength(1);
    expect(ada.asked.length).toBeLessThan(20);
  });
});

describe('the price', () => {
  test('of a look at a quiet mailbox is three requests', async () => {
    await ada.catchUp();
    await ada.catchUp();
    forgetAsked();
    await ada.catchUp();
    expect(ada.asked.map(({ path: asked }) => asked.split('?')[0])).toEqual([
      '/me/mailFolders/delta',
      '/$batch',
      '/me/messages',
    ]);
  });

  test('many messages come in stretches, each once, while the cursor stays small', async () => {
    for (let n = 0; n < 130; n += 1) await deliver(`Mail ${n}`, n % 3 === 0 ? { folder: 'archive' } : {});
    const { occurrences, stretches } = await ada.catchUp();
    expect(new Set(occurrences.map(({ key }) => key)).size).toBe(130);
    expect(occurrences).toHaveLength(130);
    expect(stretches).toBeGreaterThan(1);
    expect(JSON.stringify(ada.cursor()).length).toBeLessThan(10_000);
  });

  test('of many folders is asked for in batches', async () => {
    for (let n = 0; n < 45; n += 1) await newFolder(`Folder ${n}`);
    await ada.catchUp();
    await deliver('Somewhere', { folder: await newFolder('Another') });
    forgetAsked();
    expect(await subjects()).toEqual(['Somewhere']);
    expect(ada.asked.filter(({ path: asked }) => asked === '/$batch').length).toBeLessThan(6);
  });

  test('parts of a batch that the service has no room for are asked for one by one', async () => {
    await ada.catchUp();
    await deliver('Through the crowd');
    await ada.order('limits', { concurrent: 1 });
    expect(await subjects()).toEqual(['Through the crowd']);
  });
});

describe('trouble', () => {
  test('with one message holds up no other: it is handed on to be read alone, and not found again', async () => {
    await ada.catchUp();
    const ill = await deliver('Ill');
    await deliver('Well');
    bench.mail.control.faults.add({ match: { path: readOf(ill) }, kind: 'status', status: 500, times: 1 });
    const { occurrences, hints } = await ada.catchUp();
    expect(subjectsOf(occurrences)).toEqual(['Well']);
    expect(hints).toEqual([ill]);
    expect(deliveryOf(await ada.read(ill)).subject).toBe('Ill');
    expect(await ada.catchUp()).toMatchObject({ occurrences: [], hints: [] });
  });

  test('with one in Junk Email does not hide it for good: it is told when somebody takes it out of there', async () => {
    await ada.catchUp();
    const ill = await deliver('Ill', { folder: 'junkemail' });
    bench.mail.control.faults.add({ match: { path: readOf(ill) }, kind: 'status', status: 500, times: 1 });
    expect(await ada.catchUp()).toMatchObject({ occurrences: [], hints: [ill] });
    expect(await ada.catchUp()).toMatchObject({ occurrences: [], hints: [] });
    await move(ill, 'inbox');
    expect(await subjects()).toEqual(['Ill']);
    await move(ill, 'archive');
    expect(await subjects()).toEqual([]);
  });

  test.each([429, 401])(
    'that meets every message (status %i) ends the look, and the next one misses nothing',
    async (status) => {
      await ada.catchUp();
      await deliver('Kept waiting');
      bench.mail.control.faults.add({ match: { path: '/v1.0/me/messages/' }, kind: 'status', status, times: 1 });
      await expect(ada.catchUp()).rejects.toThrow();
      expect(await subjects()).toEqual(['Kept waiting']);
    },
  );

  test('a mailbox that cannot be opened is told at once', async () => {
    const ben = watcher(bench.mail, { who: 'ben', resource: 'mailbox/team@sandbox.test' });
    await expect(ben.begin(since)).rejects.toMatchObject({
      code: 'upstream_rejected',
      message:
        'ben@sandbox.test may not read the mailbox team@sandbox.test; ask its owner or an administrator for access to it.',
    });
    const nobody = watcher(bench.mail, { resource: 'mailbox/nobody@sandbox.test' });
    await expect(nobody.begin(since)).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no mailbox "nobody@sandbox.test"; correct its address.',
    });
  });

  test('a mailbox that is not read any more says which permission is missing', async () => {
    const resource = 'mailbox/team@sandbox.test';
    const team = watcher(bench.mail, { resource });
    await team.begin(since);
    await team.catchUp();
    const lacking = watcher(bench.mail, { resource, granted: ['Mail.Read'] });
    const look = lacking.watching.catchUp(resource, team.cursor(), lacking.context());
    await expect(look).rejects.toThrow(/Mail\.ReadWrite\.Shared.*connect the account again.*shared mailboxes/);
  });

  test('a folder that the service does not find for once is asked for again', async () => {
    await ada.begin(new Date(Date.now() - 300 * minute));
    const folder = await newFolder('Orders');
    await deliver('In time');
    await ada.catchUp();
    const { post } = ada.upstream;
    ada.upstream.post = async (target, options) => {
      const { responses } = (await post(target, options)) as { responses: { status: number }[] };
      return { responses: responses.map((each) => ({ ...each, status: 404, body: {} })) };
    };
    expect(await subjects()).toEqual([]);
    ada.upstream.post = post;
    await deliver('Long after its date', { folder, receivedAt: new Date(Date.now() - 60 * minute).toISOString() });
    expect(await subjects()).toEqual(['Long after its date']);
  });

  test('a removed folder is forgotten', async () => {
    const folder = await newFolder('Short-lived');
    await ada.catchUp();
    await ada.act('DELETE', path`/mailFolders/${folder}`);
    await deliver('Elsewhere');
    expect(await subjects()).toEqual(['Elsewhere']);
    expect(JSON.stringify(ada.cursor())).not.toContain(folder);
  });
});

test('the newest mail comes newest first, without drafts and what was sent', async () => {
  const newest = await deliver('The newest');
  const found = await ada.recent(5);
  expect(found).toHaveLength(5);
  expect(found[0]?.key).toBe(`${ada.identity.id} ${newest}`);
  const times = found.map(({ at }) => at.getTime());
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  const all = await ada.recent(100);
  expect(all.every((each) => !['drafts', 'sentitems'].includes(deliveryOf(each).folder.wellKnownName ?? ''))).toBe(
    true,
  );
});
