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
  return { ...scene, source, card, checklist, asks };
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
