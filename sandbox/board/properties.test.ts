import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../common/cases.ts';
import { type TestBoard, testBoard } from './test-board.ts';

const place = fc.oneof(fc.constantFrom('top', 'bottom'), fc.double({ min: 0.001, max: 1e9, noNaN: true }));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), list: fc.nat(2), pos: place }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('move' as const), card: fc.nat(20), list: fc.nat(2), pos: place }),
  },
  fc.record({ kind: fc.constant('reorder' as const), card: fc.nat(20), pos: place }),
  fc.record({
    kind: fc.constant('rename' as const),
    card: fc.nat(20),
    name: fc.string({ minLength: 1, maxLength: 8 }),
  }),
  fc.record({ kind: fc.constant('archive' as const), card: fc.nat(20), closed: fc.boolean() }),
  fc.record({ kind: fc.constant('delete' as const), card: fc.nat(20) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a plain reading of the rules expects: which list each card is in, and how many actions were made. */
type Expected = { cards: Map<string, { list: number; name: string; closed: boolean; pos: number }>; actions: string[] };

const take = async (bench: TestBoard, lists: string[], expected: Expected, one: Step): Promise<void> => {
  const ids = [...expected.cards.keys()];
  if (one.kind === 'create') {
    const made = await bench.make('POST', '/1/cards', { idList: lists[one.list], name: 'x', pos: one.pos });
    expected.cards.set(made.id, { list: one.list, name: 'x', closed: false, pos: Number(made['pos']) });
    expected.actions.push('createCard');
    return;
  }
  const id = ids[one.card % Math.max(1, ids.length)];
  const card = id === undefined ? undefined : expected.cards.get(id);
  if (id === undefined || card === undefined) return;
  if (one.kind === 'delete') {
    await bench.make('DELETE', `/1/cards/${id}`);
    expected.cards.delete(id);
    expected.actions.push('deleteCard');
    return;
  }
  const changes = {
    move: () => ('list' in one ? { idList: lists[one.list], pos: one.pos } : {}),
    reorder: () => ('pos' in one ? { pos: one.pos } : {}),
    rename: () => ('name' in one ? { name: one.name } : {}),
    archive: () => ('closed' in one ? { closed: one.closed } : {}),
  }[one.kind]();
  // The service may have renumbered it in the meantime, without telling.
  const before = bench.board.card(id)?.pos;
  const answer = await bench.make('PUT', `/1/cards/${id}`, changes);
  expect(answer.id).toBe(id);
  const after = {
    list: lists.indexOf(String(answer['idList'])),
    name: String(answer['name']),
    closed: answer['closed'] === true,
    pos: Number(answer['pos']),
  };
  const moved = after.list !== card.list;
  const changed = [after.name !== card.name, after.closed !== card.closed, moved || after.pos !== before];
  expected.actions.push(...changed.filter(Boolean).map(() => 'updateCard'));
  expected.cards.set(id, after);
};

test('random card moves and updates keep ids, positions, counts and action order consistent', async () => {
  await using bench = await testBoard();
  bench.board.limits.set({ off: true });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), async (steps) => {
      const board = bench.board.newBoard({ defaultLists: false });
      const lists = [0, 1, 2].map(() => bench.board.newList({ board }).id);
      const before = bench.board.actions().length;
      const expected: Expected = { cards: new Map(), actions: [] };
      for (const one of steps) await take(bench, lists, expected, one);

      const made = bench.board.actions().slice(before);
      expect(made.map(({ type }) => type)).toEqual(expected.actions);
      const ids = made.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted());
      const told = await bench.list(
        'GET',
        `/1/boards/${board.id}/actions?filter=createCard,updateCard,deleteCard&limit=1000`,
      );
      expect(told.map(({ id }) => id)).toEqual(ids.toReversed());

      let all = 0;
      for (const [at, list] of lists.entries()) {
        const cards = await bench.list('GET', `/1/lists/${list}/cards?filter=all&fields=pos,idList,closed,name`);
        all += cards.length;
        const sorted = cards.toSorted((a, b) => Number(a['pos']) - Number(b['pos']) || (a.id < b.id ? -1 : 1));
        expect(cards.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
        for (const card of cards) {
          expect(Number(card['pos'])).toBeGreaterThan(0);
          const { list: home, name, closed } = expected.cards.get(card.id) ?? {};
          expect({ home, name, closed }).toEqual({ home: at, name: card['name'], closed: card['closed'] });
        }
      }
      expect(all).toBe(expected.cards.size);
    }),
    { numRuns: 60 },
  );
});

test('top is above and bottom below everything, even after the room for halving is used up', async () => {
  await using bench = await testBoard();
  const list = bench.board.newList();
  const names: string[] = [];
  for (let n = 0; n < 120; n++) {
    const pos = n % 3 === 2 ? 'bottom' : 'top';
    bench.board.newCard({ list, name: String(n), pos });
    if (pos === 'top') names.unshift(String(n));
    else names.push(String(n));
  }
  expect(bench.board.cardsIn(list.id).map(({ name }) => name)).toEqual(names);
});

const wild = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 30 }) },
  fc.constantFrom(
    '',
    'null',
    'me',
    'all',
    'top',
    'true',
    '-1',
    '../..',
    '%00',
    '5abbe4b7ddc1b351ef961414',
    'O5dYFdfy',
    '💥',
    "' OR 1=1",
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  fc.object({ maxDepth: 1 }),
);
const names = [
  ...['name', 'desc', 'pos', 'due', 'start', 'closed', 'idList', 'idBoard', 'idMembers', 'idLabels', 'value', 'text'],
  ...[
    'fields',
    'filter',
    'limit',
    'before',
    'since',
    'page',
    'cover',
    'query',
    'urls',
    'email',
    'type',
    'state',
    'color',
  ],
  ...['callbackURL', 'idModel', 'prefs', 'members', 'cards', 'lists', 'actions', 'idCardSource', 'dueReminder', 'url'],
];

test('bad input never yields a 500', async () => {
  await using bench = await testBoard();
  bench.board.limits.set({ off: true });
  const card = bench.board.newCard();
  const { id: board } = bench.board.launch();
  const list = card.idList;
  const label = bench.board.labels()[0]?.id;
  const checklist = bench.board.newChecklist(card).id;
  const comment = bench.board.comment(card, 'x').id;
  const organization = bench.board.launch().idOrganization;
  const paths = [
    ...['/cards', '/boards', '/lists', '/labels', '/checklists', '/webhooks', '/search', '/search/members', '/batch'],
    ...[
      '',
      '/name',
      '/actions',
      '/idLabels',
      '/idMembers',
      '/attachments',
      '/checklists',
      '/actions/comments',
      '/labels',
    ].map((tail) => `/cards/${card.id}${tail}`),
    ...['', '/cards', '/lists', '/labels', '/actions', '/members', '/memberships', '/cards/visible', '/closed'].map(
      (tail) => `/boards/${board}${tail}`,
    ),
    ...['', '/cards', '/closed', '/pos', '/archiveAllCards', '/moveAllCards', '/actions'].map(
      (tail) => `/lists/${list}${tail}`,
    ),
    ...[`/labels/${label}`, `/labels/${label}/name`, `/labels/${label}/color`, `/checklists/${checklist}`],
    ...[
      `/checklists/${checklist}/checkItems`,
      `/actions/${comment}`,
      `/actions/${comment}/text`,
      '/notifications/all/read',
    ],
    ...['/members/me', '/members/me/boards', '/members/me/notifications', '/members/me/actions', '/organizations'],
    ...[
      `/organizations/${organization}`,
      `/organizations/${organization}/boards`,
      `/organizations/${organization}/members`,
    ],
  ];
  const mangled = fc
    .tuple(fc.constantFrom(...paths), fc.string({ maxLength: 8 }))
    .map(([path, tail]) => `${path}/${encodeURIComponent(tail)}`);
  const params = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 6 })), wild, { maxKeys: 5 });
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT'),
    path: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...paths) }, mangled),
    params,
    as: fc.constantFrom('query', 'form', 'json', 'broken'),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, params: values, as }) => {
      const flat = Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      const query = new URLSearchParams(flat);
      const headers = bench.headersOf('ada');
      const inBody = method !== 'GET' && as !== 'query';
      const type = as === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
      const body = as === 'form' ? query.toString() : as === 'json' ? JSON.stringify(values) : '{"name": ';
      const sent = inBody ? { body, headers: { ...headers, 'content-type': type } } : { headers };
      const url = `${bench.board.url}/1${path}${inBody ? '' : `?${query}`}`;
      const answer = await fetch(url, { method, ...sent });
      expect(answer.status, await answer.text()).toBeLessThan(500);
    }),
    cases(1_500),
  );
});
