import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { openStore } from '#store';
import { eventScene } from '../../test/event-scene.ts';
import { createChosenNames } from './chosen-names.ts';

test('a trigger tells what its ids are called, and what is gone keeps its name until it is left out', async () => {
  await using scene = await eventScene({ mail: true });
  const { board, owned, run } = scene.bench;
  const { made } = scene;
  const account = await scene.connectBoard();
  const mail = await scene.bench.connectMail();
  const agentId = await scene.reader(account);
  const launch = board.launch();
  const [label] = [...board.world.labels.values()].filter(({ idBoard, name }) => idBoard === launch.id && name !== '');
  const list = board.newList();
  const card = board.newCard({ name: 'Bread', list });
  const person = board.member('ben');
  if (label === undefined) throw new Error('the board has no label');
  const config = { boards: [launch.id], lists: [list.id], labels: [label.id], cards: [card.id] };
  const onLabels = await made('POST', '/v1/triggers', {
    agentId,
    type: 'board.label_added_to_card',
    accountId: account,
    config,
  });
  expect(onLabels.names).toEqual({
    [launch.id]: launch.name,
    [list.id]: list.name,
    [label.id]: label.name,
    [card.id]: 'Bread',
  });
  const members = { members: [person.id, 'me'] };
  const ofPeople = await made('POST', '/v1/triggers', {
    agentId,
    type: 'board.new_member_on_card',
    accountId: account,
    config: members,
  });
  expect(ofPeople.names).toEqual({ [person.id]: person.fullName });
  const workspaces = ['Analytical Engines'];
  const ofBoards = await made('POST', '/v1/triggers', {
    agentId,
    type: 'board.new_board',
    accountId: account,
    config: { workspaces },
  });
  expect(Object.values(ofBoards.names)).toEqual(workspaces);

  const folder = async (displayName: string): Promise<string> =>
    (await run('mail.api_call', { method: 'POST', endpoint: '/me/mailFolders', body: { displayName } })).data.id;
  const [bills, orders] = [await folder('Bills'), await folder('Orders')];
  const ofMail = { agentId, type: 'mail.new_email', accountId: mail, config: { folders: [bills, orders, 'inbox'] } };
  const { id, names } = await scene.settled(await made('POST', '/v1/triggers', ofMail));
  expect(names).toEqual({ [bills]: 'Bills', [orders]: 'Orders', inbox: 'Inbox' });
  await run('mail.api_call', { method: 'DELETE', endpoint: `/me/mailFolders/${bills}` });
  await run('mail.api_call', {
    method: 'PATCH',
    endpoint: `/me/mailFolders/${orders}`,
    body: { displayName: 'Sales' },
  });

  const gone = 'The folder “Bills” is gone; leave it out, or name another one.';
  const refused = await owned('PATCH', `/v1/triggers/${id}`, { config: ofMail.config });
  expect(refused.body.error.details.fields).toEqual([{ field: 'config.folders[0]', message: gone }]);
  const tried = await owned('POST', '/v1/triggers/preview', { ...ofMail, agentId: undefined, triggerId: id });
  expect(tried.body.error.details.fields).toEqual([{ field: 'config.folders[0]', message: gone }]);
  const { agentId: _, ...nameless } = ofMail;
  const untold = await owned('POST', '/v1/triggers/preview', nameless);
  expect(untold.body.error.details.fields[0].message).toBe(`There is no folder "${bills}"; use one of the candidates.`);
  const unknown = { ...nameless, triggerId: 'trg_nobody' };
  expect((await owned('POST', '/v1/triggers/preview', unknown)).status).toBe(404);

  const renamed = await made('PATCH', `/v1/triggers/${id}`, { name: 'Renamed' });
  expect(renamed.names).toEqual(names);
  const changed = await made('PATCH', `/v1/triggers/${id}`, { config: { folders: [orders] } });
  expect(changed.names).toEqual({ [orders]: 'Sales' });
  const listed = await made('GET', `/v1/triggers?accountId=${mail}`);
  expect(listed.items.map((each: typeof changed) => each.names)).toEqual([changed.names]);
  const { items } = await made('GET', '/v1/audit?action=trigger.changed');
  expect(items.map(({ details }: { details: unknown }) => details)).toEqual([
    { name: 'Renamed', fields: ['folders'] },
    { name: 'Renamed', fields: ['name'] },
  ]);
});

test('a list that is archived keeps its name, a board that is gone or closed is refused by it', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 500 } });
  const { board, owned } = scene.bench;
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const idBoard = board.newBoard({ name: 'Fleeting' }).id;
  const list = board.newList();
  await scene.service.make('PUT', `/1/lists/${list.id}`, { closed: true });
  const config = { boards: [idBoard, board.launch().id], lists: [list.id] };
  const { id, names } = await scene.made('POST', '/v1/triggers', {
    agentId,
    type: 'board.new_card',
    accountId,
    config,
  });
  expect(names).toEqual({ [idBoard]: 'Fleeting', [board.launch().id]: board.launch().name, [list.id]: list.name });

  const { boards } = config;
  const onBoth = await scene.newTrigger(agentId, 'board.new_card', accountId, { boards });
  const reminds = await scene.newTrigger(agentId, 'board.card_due_reminder', accountId, { boards: [idBoard] });
  const causeOf = async ({ id: of }: { id: string }) => (await scene.made('GET', `/v1/triggers/${of}/diagnosis`)).cause;

  const why = async () =>
    (await owned('PATCH', `/v1/triggers/${id}`, { config })).body.error.details.fields[0].message as string;
  await scene.service.make('PUT', `/1/boards/${idBoard}`, { closed: true });
  expect(await why()).toBe('The board "Fleeting" is closed; open it again, or leave it out.');
  const watched = async (isFine: boolean) => {
    const read = () => scene.made('GET', `/v1/triggers/${id}/diagnosis`);
    const { findings, watches } = await scene.until(read, (told) => (told.cause?.check !== 'watch') === isFine);
    const about = ({ check, message }: { check: string; message: string }) =>
      check === 'watch' && message.includes('Fleeting') ? [message] : [];
    return [findings.flatMap(about), watches.map(({ state }: { state: string }) => state)];
  };
  const place = `The board “Fleeting” (board/${idBoard})`;
  const closed = 'The board is closed, so nothing happens on it; reopen it, or choose another one.';
  expect(await watched(false)).toEqual([[`${place} is degraded: ${closed}`], expect.arrayContaining(['degraded'])]);
  expect((await causeOf(onBoth)).check).toBe('watch');
  board.newCard({ as: 'ben' });
  await scene.eventsUntil(1, { triggerId: onBoth.id, outcome: 'fired' });
  // What starts the agent is not told that it does not.
  expect(await causeOf(onBoth)).toBeUndefined();
  const silent = await scene.until(
    () => causeOf(reminds),
    ({ check }) => check === 'watch',
  );
  expect(silent.message).toContain('The board “Fleeting” is closed, so nothing on it reminds; reopen it');
  await scene.service.make('PUT', `/1/boards/${idBoard}`, { closed: false });
  expect(await watched(true)).toEqual([[`${place} is watched: the service notifies us.`], ['healthy', 'healthy']]);
  await scene.service.make('DELETE', `/1/boards/${idBoard}`);
  expect(await why()).toBe('The board “Fleeting” is gone, or this account cannot see it any more; leave it out.');
  const { cause } = await scene.until(
    () => scene.made('GET', `/v1/triggers/${id}/diagnosis`),
    (diagnosis) => diagnosis.cause?.check === 'watch',
  );
  const gone = 'The board was deleted, or its account may not see it any more; choose another one.';
  expect(cause.message).toBe(`${place} cannot be watched: ${gone}`);
});

test('the names that a trigger knows leave with its account, and none is written down after that', async () => {
  await using scene = await eventScene();
  const { board, connectionString } = scene.bench;
  const accountId = await scene.connectBoard();
  const launch = board.launch();
  const config = { boards: [launch.id] };
  const { id } = await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId, config);
  const names = async () => (await scene.made('GET', `/v1/triggers/${id}`)).names;
  const store = openStore({ connectionString, max: 1, log: silentLog });
  const { workspace_id: workspaceId } = await store.system
    .selectFrom('triggers')
    .select('workspace_id')
    .executeTakeFirstOrThrow();
  const { keep } = createChosenNames({ store, clock: systemClock() });
  const keepAs = (name: string, version = 1) => keep(workspaceId, { id, version }, { [launch.id]: name });

  expect(await names()).toEqual({ [launch.id]: launch.name });
  await keepAs('Of an older version', 0);
  expect(await names()).toEqual({ [launch.id]: launch.name });
  await keepAs('Kept \u0000');
  expect(await names()).toEqual({ [launch.id]: 'Kept \ufffd' });
  await scene.made('DELETE', `/v1/accounts/${accountId}`);
  expect(await names()).toEqual({});
  await keepAs('Too late');
  expect(await names()).toEqual({});
  await store.close();
});

test('a trigger on all boards calls each by its name in its diagnosis, also after it was renamed, until its account leaves', async () => {
  await using scene = await eventScene({ intervals: { lookMs: 300 } });
  const accountId = await scene.connectBoard();
  const { id: idBoard } = scene.bench.board.newBoard({ name: 'Fleeting' });
  const { id } = await scene.newTrigger(await scene.reader(accountId), 'board.new_card', accountId);
  const told = async () => {
    const { findings, watches } = await scene.made('GET', `/v1/triggers/${id}/diagnosis`);
    const { name } = watches.find(({ resource }: { resource: string }) => resource === `board/${idBoard}`);
    return { name, messages: JSON.stringify(findings.map(({ message }: { message: string }) => message)) };
  };
  const named = async (wanted: string) => (await scene.until(told, ({ name }) => name === wanted)).messages;
  expect(await named('Fleeting')).toContain(`The board “Fleeting” (board/${idBoard}) is`);
  await scene.service.make('PUT', `/1/boards/${idBoard}`, { name: 'Lasting' });
  expect(await named('Lasting')).toContain(`The board “Lasting” (board/${idBoard}) is`);
  await scene.made('DELETE', `/v1/accounts/${accountId}`);
  expect((await told()).name).toBeNull();
});

test('a trigger and its preview take the exact name or address of their account, and keep its id', async () => {
  await using scene = await eventScene();
  const accountId = await scene.connectBoard();
  const agentId = await scene.reader(accountId);
  const { name } = await scene.made('PATCH', `/v1/accounts/${accountId}`, { name: 'Our boards' });
  const given = { agentId, type: 'board.new_card', accountId: name, config: {} };
  expect((await scene.made('POST', '/v1/triggers', given)).accountId).toBe(accountId);
  expect((await scene.bench.owned('POST', '/v1/triggers/preview', given)).status).toBe(200);
  const mistaken = { ...given, accountId: 'Our board' };
  for (const path of ['/v1/triggers', '/v1/triggers/preview']) {
    const { status, body } = await scene.bench.owned('POST', path, mistaken);
    expect([status, body.error.message]).toEqual([404, 'There is no such account.']);
  }
});
