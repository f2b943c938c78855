import { expect, test } from 'vitest';
import { eventScene } from '../../test/event-scene.ts';

type Way = { pushed: boolean; withSecret: boolean; waits: 'ada' | 'ben' };
const signed: Way = { pushed: true, withSecret: true, waits: 'ada' };
const ways: [string, Way][] = [
  ['told with a signature', signed],
  ['told without a signature', { ...signed, withSecret: false }],
  ['told to another account', { ...signed, waits: 'ben' }],
  ['found by looking', { ...signed, pushed: false, withSecret: false }],
];

/** Ada's account, an agent that waits for whatever happens on a board, and a card there with all that a copy brings along. */
const copyScene = async ({ pushed, withSecret, waits }: Way) => {
  const scene = await eventScene({ pushed, intervals: pushed ? {} : { pollMs: 300 } });
  const { board, service } = scene;
  const ada = await scene.connectBoard('ada', withSecret);
  const waiting = waits === 'ada' ? ada : await scene.connectBoard(waits, withSecret);
  const source = board.newList();
  const card = board.newCard({ list: source, idMembers: [board.member('ben').id], due: '2030-01-01T00:00:00.000Z' });
  const checklist = await service.make('POST', '/1/checklists', { idCard: card.id, name: 'Steps' });
  // What happens in the second in which a trigger is made counts.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const config = { boards: [board.launch().id] };
  const trigger = await scene.newTrigger(await scene.reader(waiting), 'board.new_board_activity', waiting, config);
  if (pushed) await scene.settled(trigger);
  const asks = (endpoint: string, body: object) =>
    scene.made('POST', '/v1/steps/board.api_call/run', { accountId: ada, input: { method: 'POST', endpoint, body } });
  return { ...scene, ada, source, card, checklist, asks };
};

const neverListed = new Set(['copyChecklist']);

test.each(ways)(
  'what comes with a list or card that an agent copies starts nobody, what its person does right after does, %s',
  async (_, way) => {
    await using scene = await copyScene(way);
    const { board, service, source, card, checklist, asks } = scene;
    const before = board.actions().length;

    await asks('/1/lists', { idBoard: board.launch().id, name: 'Copied', idListSource: source.id });
    await asks('/1/cards', { idList: source.id, name: 'Twin', idCardSource: card.id });

    const fresh = board.actions().slice(before);
    const copies = new Set(fresh.flatMap(({ idCard }) => idCard ?? []));
    expect(copies.size).toBe(2);
    const begin = board.actions().length;
    for (const id of copies) {
      await service.make('POST', `/1/cards/${id}/idMembers`, { value: board.member('ada').id });
      await service.make('POST', '/1/checklists', { idCard: id, name: 'By hand' });
      await service.make('PUT', `/1/cards/${id}`, { name: 'Renamed' });
    }
    await service.make('POST', '/1/checklists', { idCard: card.id, idChecklistSource: checklist.id });
    const isTold = ({ type }: { type: string }) => way.pushed || !neverListed.has(type);
    const all = board
      .actions()
      .slice(before)
      .filter(isTold)
      .map(({ id }) => id);
    const byHand = board
      .actions()
      .slice(begin)
      .filter(isTold)
      .map(({ id }) => id);

    const events = await scene.eventsUntil(all.length);

    const idOf = ({ upstreamId }: { upstreamId: string }) => upstreamId;
    expect(events.map(idOf).toSorted()).toEqual(all);
    expect(
      events
        .filter(({ outcome }) => outcome === 'fired')
        .map(idOf)
        .toSorted(),
    ).toEqual(byHand);
  },
  40_000,
);

test('what is told of a copy counts neither as ours nor as anybody else’s while it cannot be read, and nobody else’s is read', async () => {
  await using scene = await copyScene(signed);
  const { board, source, asks } = scene;
  const { faults, log } = board.control;
  const reads = () => log.list().filter(({ method, path }) => method === 'GET' && path.startsWith('/1/cards/')).length;
  faults.add({ match: { method: 'GET', path: '/1/cards/' }, kind: 'status', status: 500 });
  const before = board.actions().length;

  await asks('/1/lists', { idBoard: board.launch().id, name: 'Copied', idListSource: source.id });

  const count = board.actions().length - before;
  await expect.poll(reads).toBeGreaterThan(0);
  const first = await scene.events();
  expect(first.length).toBeLessThan(count);
  expect(first.filter(({ outcome }) => outcome === 'fired')).toEqual([]);
  faults.clear();
  const ours = { outcome: 'skipped', reason: 'made through Switchboard itself' };
  expect(await scene.eventsUntil(count)).toEqual(Array.from({ length: count }, () => expect.objectContaining(ours)));
  const read = reads();
  board.newCard({ list: source, idMembers: [board.member('ben').id], as: 'ben' });
  expect(await scene.eventsUntil(2, { outcome: 'fired' })).toHaveLength(2);
  expect(reads()).toBe(read);
});

test('what is told of a card or list before its answer is known, or where that is lost, is ours all the same', async () => {
  await using scene = await copyScene(signed);
  const { board, source, card, bench } = scene;
  const before = board.actions().length;
  const asks = (endpoint: string, body: object) => {
    board.control.faults.add({
      match: { method: 'POST', path: endpoint },
      kind: 'accept_then',
      status: 500,
      ms: 400,
      times: 1,
    });
    const input = { method: 'POST', endpoint, body };
    return bench.owned('POST', '/v1/steps/board.api_call/run', { accountId: scene.ada, input });
  };

  await asks('/1/cards', { idList: source.id, name: 'New', idMembers: [board.member('ben').id], due: '2030-01-01' });
  await asks('/1/cards', { idList: source.id, name: 'Twin', idCardSource: card.id });
  await asks('/1/lists', { idBoard: board.launch().id, name: 'Copied', idListSource: source.id });

  const all = board.actions().slice(before);
  const events = await scene.eventsUntil(all.length);
  expect(events.filter(({ outcome }) => outcome === 'fired').map(({ summary }) => summary)).toEqual([]);
  expect(events).toHaveLength(all.length);
});

test('a notification of a card that came with a list which an agent copied starts nobody', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 200 } });
  const { board } = scene;
  const [ada, ben] = [await scene.connectBoard('ada'), await scene.connectBoard('ben')];
  const source = board.newList();
  const card = board.newCard({ list: source, idMembers: [board.member('ben').id] });
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await scene.newTrigger(await scene.reader(ben), 'board.new_notification', ben);
  const body = { idBoard: board.launch().id, name: 'Copied', idListSource: source.id };
  const input = { method: 'POST', endpoint: '/1/lists', body };
  await scene.made('POST', '/v1/steps/board.api_call/run', { accountId: ada, input });
  const ours = { outcome: 'skipped', reason: 'made through Switchboard itself' };
  expect(await scene.eventsUntil(1)).toMatchObject([ours]);

  board.comment(card, '@ben look', 'ada');

  expect(await scene.eventsUntil(2)).toMatchObject([{ outcome: 'fired' }, ours]);
});

test('a notification that an agent closed a board or took somebody off it starts nobody, one that its person opened it does', async () => {
  await using scene = await eventScene({ intervals: { pollMs: 200 } });
  const { board, service } = scene;
  const [ada, ben] = [await scene.connectBoard('ada'), await scene.connectBoard('ben')];
  const { id } = board.launch();
  await service.make('PUT', `/1/boards/${id}`, { subscribed: true }, 'ben');
  await scene.newTrigger(await scene.reader(ben), 'board.new_notification', ben);
  const asks = (method: string, endpoint: string, body: object = {}) =>
    scene.made('POST', '/v1/steps/board.api_call/run', { accountId: ada, input: { method, endpoint, body } });
  const told = async (count: number) =>
    (await scene.eventsUntil(count)).map(({ outcome, summary }) => `${outcome}: ${summary.split(' the board')[0]}`);
  await asks('PUT', `/1/boards/${id}`, { closed: true });
  expect((await told(1))[0]).toBe('skipped: Ada Marsh closed');
  await asks('DELETE', `/1/boards/${id}/members/${board.member('ben').id}`);
  expect((await told(2))[0]).toBe('skipped: Ada Marsh removed you from');

  await service.make('PUT', `/1/boards/${id}`, { closed: false });

  expect((await told(3))[0]).toBe('fired: Ada Marsh reopened');
});
