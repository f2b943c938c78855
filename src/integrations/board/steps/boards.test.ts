import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { StepContext, Upstream } from '#kit';
import { type Workbench, workbench } from '#test';
import { pickers } from '../pickers.ts';
import { ActionType, refuseSlips } from '../triggers/action-type.ts';
import { getBoards } from './get-boards.ts';

let bench: Workbench;
const run = (step: string, input: unknown) => bench.run(`board.${step}`, input);

beforeAll(async () => {
  bench = await workbench();
  bench.board.limits.off = true;
});
afterAll(() => bench[Symbol.asyncDispose]());

test('get_boards lists open boards with their workspace, and what else is asked', async () => {
  bench.board.newBoard({ name: 'Attic' }).closed = true;
  bench.board.newBoard({ name: 'Solo', idOrganization: null });
  const { items } = await run('get_boards', { includeLists: true });
  const launch = items.find(({ name }: { name: string }) => name === 'Launch');
  expect(launch).toMatchObject({
    id: bench.board.launch().id,
    closed: false,
    workspace: { name: 'Analytical Engines' },
    lists: [{ name: 'To do' }, { name: 'Doing' }, { name: 'Done' }],
  });
  expect(launch.lists[0]).not.toHaveProperty('pos');
  const names = async (input: object) =>
    (await run('get_boards', input)).items.map(({ name }: { name: string }) => name);
  expect(await names({ filter: 'closed' })).toEqual(['Attic']);
  expect(await names({ query: 'aun' })).toEqual(['Launch']);
  expect(await names({ workspace: 'Analytical Engines' })).toEqual(['Launch']);
  expect(await names({ limit: 1 })).toEqual(['Launch']);
});

test('a board for which the service tells no workspace is a board without one', async () => {
  const alone = { id: '1', shortLink: 'Solo0001', name: 'Solo', url: 'x', closed: false, idOrganization: null };
  const context = { upstream: { get: async () => [{ ...alone, organization: null }] } } as unknown as StepContext;
  expect(await getBoards.run(getBoards.input.parse({}), context)).toMatchObject({ items: [{ workspace: null }] });
});

test('get_lists tells lists from left to right and counts their cards', async () => {
  const { items } = await run('get_lists', { board: 'Launch', includeCardCount: true });
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['To do', 'Doing', 'Done']);
  expect(items[0].cardCount).toBe(bench.board.cardsIn(items[0].id).length);
});

test('get_board tells a board whole', async () => {
  const board = await run('get_board', { board: bench.board.launch().shortLink });
  expect(board).toMatchObject({
    name: 'Launch',
    visibility: 'org',
    lists: [{ name: 'To do' }, { name: 'Doing' }, { name: 'Done' }],
    members: [{ username: 'ada' }, { username: 'ben' }],
    truncated: false,
  });
  expect(board.labels).toHaveLength(4);
  expect(await run('get_board', { board: 'Launch', include: [] })).not.toHaveProperty('lists');
});

test('list_labels and get_board go beyond the 50 labels that the service tells unasked', async () => {
  const board = bench.board.newBoard({ name: 'Colourful', defaultLabels: false });
  for (let at = 0; at < 60; at += 1) bench.board.newLabel({ board, name: `L${at}` });
  const first = await run('list_labels', { board: 'Colourful', limit: 55 });
  const second = await run('list_labels', { board: 'Colourful', limit: 55, cursor: first.nextCursor });
  expect([first.items.length, second.items.length, second.truncated]).toEqual([55, 5, false]);
  expect((await run('list_labels', { board: 'Launch', query: 'purple' })).items).toMatchObject([{ name: 'Design' }]);
  expect((await run('get_board', { board: 'Colourful', include: ['labels'] })).labels).toHaveLength(60);
});

test('list_members tells who is who', async () => {
  const { items } = await run('list_members', { board: 'Launch' });
  expect(items).toEqual([
    {
      id: expect.any(String),
      username: 'ada',
      fullName: bench.board.member('ada').fullName,
      role: 'admin',
      isMe: true,
    },
    { id: expect.any(String), username: 'ben', fullName: 'Ben Okafor', role: 'normal', isMe: false },
  ]);
});

test('the drop-downs offer boards, lists, labels, members, cards, checklists and types of activity', async () => {
  const { key, token } = bench.board.credentials();
  const headers = { authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"` };
  const get: Upstream['get'] = async (place, { query = {} } = {}) => {
    const url = new URL(place, bench.board.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return (await fetch(url, { headers })).json();
  };
  const context = { upstream: { get } } as unknown as Pick<StepContext, 'upstream' | 'account'>;
  const options = async (name: string, query: object) => {
    const picker = pickers.find((each) => each.name === name);
    return picker?.options(picker.query.parse(query), context);
  };
  const board = bench.board.launch().id;
  const card = [...bench.board.world.cards.values()].find(({ idChecklists }) => idChecklists.length > 0);
  expect(await options('boards', {})).toContainEqual({ value: board, label: 'Launch', hint: 'Analytical Engines' });
  expect((await options('lists', { board }))?.map(({ label }) => label)).toEqual(['To do', 'Doing', 'Done']);
  expect(await options('labels', { board })).toContainEqual(expect.objectContaining({ label: 'Urgent', hint: 'red' }));
  expect(await options('members', { board })).toContainEqual(
    expect.objectContaining({ label: bench.board.member('ada').fullName }),
  );
  expect(await options('cards', { board })).toContainEqual(
    expect.objectContaining({ value: card?.id, label: card?.name }),
  );
  expect(await options('checklists', { cardId: card?.id })).toHaveLength(card?.idChecklists.length ?? 0);
  expect(await options('notification_types', {})).toContainEqual({
    value: 'mentionedOnCard',
    label: 'Mentioned on card',
    hint: 'mentionedOnCard',
  });
  const types = await options('activity_types', {});
  expect(types).toContainEqual({ value: 'createCard', label: 'Create card', hint: 'createCard' });
  expect(() => z.array(ActionType).parse(types?.map(({ value }) => value))).not.toThrow();
  expect(() => refuseSlips('eventTypes', types?.map(({ value }) => value) ?? [])).not.toThrow();
});
