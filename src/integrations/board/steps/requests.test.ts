import { expect, test } from 'vitest';
import type { FindContext, Step, StepContext } from '#kit';
import { look } from '../looks/index.ts';
import { updateCard } from './update-card.ts';

const id = (end: string) => end.padStart(24, '0');
const [cardId, idList, idBoard, idField] = [id('a'), id('b'), id('c'), id('d')];
const card = {
  ...{ id: cardId, shortLink: 'AbCdEfGh', name: 'Milk', url: 'https://example.com/c', desc: '', idList, idBoard },
  ...{ closed: false, due: null, dueComplete: false, start: null, dueReminder: -1, pos: 200 },
  ...{ labels: [], idMembers: [], members: [], dateLastActivity: '2027-01-05T10:00:00.000Z' },
};
const fields = [{ id: idField, name: 'Amount', type: 'number' }];
const items = [{ id: id('e'), idCustomField: idField, value: { number: '3' } }];
const others = [
  { id: id('f'), pos: 100 },
  { id: cardId, pos: 200 },
  { id: id('9'), pos: 300 },
];

/** The service as it is read, by the end of the path. */
const reads: Record<string, unknown> = {
  [cardId]: card,
  customFieldItems: items,
  customFields: fields,
  cards: others,
  actions: [],
  attachments: [],
};
const service = (more: object = {}) => {
  const writes: unknown[] = [];
  const get = async (path: string) => ({ ...reads, ...more })[path.split('/').at(-1) ?? ''];
  const put = async (path: string, { body }: { body: object }) => {
    writes.push([path, JSON.parse(JSON.stringify(body))]);
    return card;
  };
  return { writes, upstream: { get, put, post: put } };
};

/** What a step writes, if it does not refuse. */
const writesOf = async (step: Step, input: object) => {
  const { writes, upstream } = service();
  const before = (_: unknown, read: () => unknown) => read();
  await step.run(step.input.parse(input), { upstream, before, account: { identity: {} } } as unknown as StepContext);
  return writes;
};

test.each([
  ['in its list, and stays where it is', { idList, name: 'Tea' }, { name: 'Tea', idList }],
  ['in its list, and goes where it is said', { idList, pos: 'top' }, { idList, pos: 'top' }],
  ['in another one, and lands at the bottom', { idList: id('1') }, { idList: id('1'), pos: 'bottom' }],
])('a card is changed %s', async (_, change, body) => {
  expect(await writesOf(updateCard, { cardId, ...change })).toEqual([[`/1/cards/${cardId}`, body]]);
});

test.each([
  [{ customFields: { Amount: 4 } }],
  [{ pos: 'top' }],
  [{ pos: 'bottom' }],
  [{ pos: 250 }],
  [{ dueReminder: 60 }],
])('a card that changed meanwhile is not changed by %j', async (change) => {
  const input = { cardId, ...change, ifUnchangedSince: '2027-01-05T09:00:00Z' };
  await expect(writesOf(updateCard, input)).rejects.toThrow(/The card changed at/);
});

test.each([[{ customFields: { Amount: 3 } }], [{ pos: 200 }], [{ dueReminder: null }], [{ name: 'Milk', pos: 'top' }]])(
  'a card that has %j already was changed by this run, and is not refused',
  async (change) => {
    const input = { cardId, ...change, ifUnchangedSince: '2027-01-05T09:00:00Z' };
    expect(await writesOf(updateCard, input)).toHaveLength(1);
  },
);

/** Whether a write is taken for done, by what there is now. */
const looks = async (method: string, path: string, body: object, now: object = {}) => {
  const { upstream } = service(now);
  const request = { method, path, body, query: {} };
  const account = { identity: { id: 'ada' } };
  const since = new Date(0);
  const verdict = await look({ request, upstream, account, since, mark: String } as unknown as FindContext);
  return typeof verdict === 'object' ? verdict.made.length : verdict;
};
const moved = [{ idMemberCreator: 'ada', data: { card: { idList }, old: { idList: id('1') } } }];
const first = [{ id: cardId, pos: 50 }, others[0]];

test.each([
  ['is still where it was, not', { idList, pos: 'top' }, {}, 0],
  ['is not at the place that was named, not', { idList, pos: 250 }, {}, 0],
  ['lies on top, is', { idList, pos: 'top' }, { cards: first }, 1],
  ['lies below others that came since it was put there, is', { idList, pos: 'top' }, { actions: moved }, 1],
  ['was to lie nowhere in particular, is', { idList }, {}, 1],
])('a card that %s taken for moved', async (_, body, now, made) => {
  expect(await looks('PUT', `/1/cards/${cardId}`, body, now)).toBe(made);
});

test.each([
  ['another address', { url: 'https://example.com/2', isUpload: false }, 0],
  ['its address', { url: 'https://example.com/1', isUpload: false, name: 'Renamed' }, 1],
  ['what its address led to', { url: 'https://board.test/x.png', isUpload: true }, 1],
  ['its address as it is usually written', { url: 'https://EXAMPLE.com/1', isUpload: false, name: 'Renamed' }, 1],
])('of a link of the same name, one with %s is taken for it or not', async (_, there, made) => {
  const attachments = [{ id: id('8'), name: 'Plan', idMember: 'ada', ...there }];
  const sent = { url: 'https://example.com/1', name: 'Plan', setCover: false };
  expect(await looks('POST', `/1/cards/${cardId}/attachments`, sent, { attachments })).toBe(made);
});
