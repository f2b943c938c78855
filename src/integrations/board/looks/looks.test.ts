import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let accountId: string;
let list: { id: string; idBoard: string };

beforeAll(async () => {
  bench = await workbench();
  bench.board.limits.off = true;
  accountId = await bench.connectBoard();
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => {
  list = bench.board.newList();
});

const run = async (step: string, input: unknown) => {
  const { status, body } = await bench.owned('POST', `/v1/steps/board.${step}/run`, { accountId, input });
  return { ...body, status };
};
/** The next such request is carried out, but its answer is lost. */
const lose = (method: string, path: string) =>
  bench.board.control.faults.add({ match: { method, path }, kind: 'accept_then', status: 504, times: 1 });
const lastEffect = async () => {
  const { body } = await bench.owned('GET', '/v1/audit?limit=20');
  return body.items.find(({ action }: { action: string }) => action.startsWith('effect.'));
};
const newCard = (name?: string) =>
  bench.board.newCard({ ...(name === undefined ? {} : { name }), list: bench.board.world.lists.get(list.id) as never });

/** A step whose write is carried out while its answer is lost: how the request looks, and what is there afterwards. */
const uncertain: readonly [
  string,
  method: string,
  path: string,
  () => { input: object; there: () => unknown; once: unknown },
][] = [
  [
    'create_card',
    'POST',
    '^/1/cards$',
    () => ({
      input: { idList: list.id, name: 'Once' },
      there: () => bench.board.cardsIn(list.id).map(({ name }) => name),
      once: ['Once'],
    }),
  ],
  [
    'create_list',
    'POST',
    '^/1/lists$',
    () => ({
      input: { idBoard: list.idBoard, name: `Once ${list.id}` },
      there: () => bench.board.lists().filter(({ name }) => name === `Once ${list.id}`).length,
      once: 1,
    }),
  ],
  [
    'create_label',
    'POST',
    '^/1/labels$',
    () => ({
      input: { board: list.idBoard, name: `Once ${list.id}`, color: 'sky' },
      there: () => bench.board.labels().filter(({ name }) => name === `Once ${list.id}`).length,
      once: 1,
    }),
  ],
  [
    'add_comment_to_card',
    'POST',
    'actions/comments$',
    () => {
      const card = newCard();
      return { input: { cardId: card.id, text: 'Once' }, there: () => bench.board.comments(card.id), once: ['Once'] };
    },
  ],
  [
    'add_checklist',
    'POST',
    '^/1/checklists$',
    () => {
      const card = newCard();
      return {
        input: { cardId: card.id, name: 'Once', items: ['a'] },
        there: () => bench.board.checklistsOn(card).map(({ name, checkItems }) => [name, checkItems.length]),
        once: [['Once', 1]],
      };
    },
  ],
  [
    'create_checklist_item',
    'POST',
    'checkItems$',
    () => {
      const checklist = bench.board.newChecklist(newCard());
      return {
        input: { checklistId: checklist.id, name: 'Once' },
        there: () => checklist.checkItems.map(({ name }) => name),
        once: ['Once'],
      };
    },
  ],
  [
    'attach',
    'POST',
    'attachments$',
    () => {
      const card = newCard();
      return {
        input: { cardId: card.id, url: 'https://example.com/once' },
        there: () => card.attachments.map(({ url }) => url),
        once: ['https://example.com/once'],
      };
    },
  ],
  [
    'update_card',
    'PUT',
    '^/1/cards/',
    () => {
      const card = newCard();
      return {
        input: { cardId: card.id, name: 'Changed', due: '2027-01-05', desc: null },
        there: () => [card.name, card.due],
        once: ['Changed', '2027-01-05T00:00:00.000Z'],
      };
    },
  ],
  [
    'archive_card',
    'PUT',
    '^/1/cards/',
    () => {
      const card = newCard();
      return { input: { cardId: card.id }, there: () => card.closed, once: true };
    },
  ],
  [
    'move_card',
    'PUT',
    '^/1/cards/',
    () => {
      const card = bench.board.newCard();
      return { input: { cardId: card.id, list: list.id }, there: () => card.idList, once: list.id };
    },
  ],
  [
    'add_label',
    'POST',
    'idLabels$',
    () => {
      const card = newCard();
      const [label] = bench.board.labels();
      return { input: { cardId: card.id, label: label?.id }, there: () => card.idLabels, once: [label?.id] };
    },
  ],
  [
    'remove_label',
    'DELETE',
    '/idLabels/.+',
    () => {
      const [label] = bench.board.labels();
      const card = bench.board.newCard({ idLabels: [label?.id ?? ''] });
      return { input: { cardId: card.id, label: label?.id }, there: () => card.idLabels, once: [] };
    },
  ],
  [
    'add_member',
    'POST',
    'idMembers$',
    () => {
      const card = newCard();
      return { input: { cardId: card.id, member: 'me' }, there: () => card.idMembers, once: [bench.board.member().id] };
    },
  ],
  [
    'complete_checklist_item',
    'PUT',
    '/checkItem/.+',
    () => {
      const card = [...bench.board.world.cards.values()].find(({ idChecklists }) => idChecklists.length > 0);
      const item = card && bench.board.checklistsOn(card)[0]?.checkItems[0];
      const complete = item?.state !== 'complete';
      return {
        input: { cardId: card?.id, item: item?.id, complete },
        there: () => item?.state,
        once: complete ? 'complete' : 'incomplete',
      };
    },
  ],
];

describe('a write whose answer was lost is found, not repeated and not reported as failed', () => {
  test.each(uncertain)('%s', async (step, method, path, prepare) => {
    const { input, there, once } = prepare();
    lose(method, path);
    const { status } = await run(step, input);
    expect([status, there()]).toEqual([200, once]);
    expect(bench.board.control.log.list().filter(({ status: seen }) => seen === 504)).not.toHaveLength(0);
    if (step !== 'add_checklist') {
      const upstreamId = expect.stringMatching(/^[0-9a-f]{24}$/);
      expect(await lastEffect()).toMatchObject({ action: 'effect.sent', details: { found: true, upstreamId } });
    }
  });
});

test('a card that somebody renamed and moved at once is found all the same', async () => {
  lose('POST', '^/1/cards$');
  const other = bench.board.newList();
  const answer = run('create_card', { idList: list.id, name: 'Named' });
  await expect.poll(() => bench.board.cardsIn(list.id).length, { interval: 10 }).toBe(1);
  const [card] = bench.board.cardsIn(list.id);
  if (card) bench.board.changeCard(card, { name: 'Renamed', list: other }, 'ben');
  const { status, output } = await answer;
  expect([status, output.name, output.idList]).toEqual([200, 'Renamed', other.id]);
});

test('two lost changes to one card are both found: a state can be wanted twice', async () => {
  const card = newCard();
  for (const name of ['First', 'Second']) {
    lose('PUT', '^/1/cards/');
    expect((await run('update_card', { cardId: card.id, name })).status).toBe(200);
    expect(await lastEffect()).toMatchObject({ details: { found: true, attempts: 1 } });
  }
  expect(card.name).toBe('Second');
});

test('a change that somebody changed again is known from the history, and theirs stays', async () => {
  const card = newCard('Before');
  lose('PUT', '^/1/cards/');
  const answer = run('update_card', { cardId: card.id, name: 'Ours', due: '2027-01-05' });
  await expect.poll(() => card.name, { interval: 10 }).toBe('Ours');
  bench.board.changeCard(card, { name: 'Theirs' }, 'ben');
  const { status, output } = await answer;
  expect([status, output.name, card.name]).toEqual([200, 'Theirs', 'Theirs']);
});

test('a card whose list went to another board at once is not made again', async () => {
  const { id: idBoard } = bench.board.newBoard();
  lose('POST', '^/1/cards$');
  const answer = run('create_card', { idList: list.id, name: 'Travels' });
  await expect.poll(() => bench.board.cardsIn(list.id).length, { interval: 10 }).toBe(1);
  const { key, token } = bench.board.credentials();
  const query = new URLSearchParams({ idBoard, key, token });
  await fetch(`${bench.board.url}/1/lists/${list.id}?${query}`, { method: 'PUT' });
  const { status, error } = await answer;
  expect([status, error.code, bench.board.cardsIn(list.id).length]).toEqual([504, 'outcome_unknown', 1]);
});

describe.concurrent('what cannot be found', () => {
  test('an edited comment is not made again, but told as uncertain', async () => {
    const card = bench.board.newCard();
    lose('POST', 'actions/comments$');
    const answer = run('add_comment_to_card', { cardId: card.id, text: 'First' });
    const comment = () => bench.board.actions(card.id).find(({ type }) => type === 'commentCard');
    await expect.poll(comment, { interval: 10 }).toBeDefined();
    const made = comment();
    if (made) made.data = { ...made.data, text: 'Edited', dateLastEdited: new Date().toISOString() };
    const { status, error } = await answer;
    expect([status, error.code, bench.board.comments(card.id)]).toEqual([504, 'outcome_unknown', ['Edited']]);
  });

  test("another person's card of the same name is not taken for ours, which is made", async () => {
    const home = bench.board.newList();
    bench.board.control.faults.add({ match: { method: 'POST', path: '^/1/cards$' }, kind: 'reset', times: 1 });
    const answer = run('create_card', { idList: home.id, name: 'Same' });
    const theirs = bench.board.newCard({ name: 'Same', list: home, as: 'ben' });
    const { status, output } = await answer;
    expect(status).toBe(200);
    expect(output.id).not.toBe(theirs.id);
    expect(bench.board.cardsIn(home.id)).toHaveLength(2);
  });

  test('a change that did not happen is seen as such and made', async () => {
    const card = bench.board.newCard({ name: 'Before' });
    bench.board.control.faults.add({ match: { method: 'PUT', path: '^/1/cards/' }, kind: 'reset', times: 1 });
    expect((await run('update_card', { cardId: card.id, name: 'After' })).status).toBe(200);
    expect(card.name).toBe('After');
  });
});
