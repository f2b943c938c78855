import { expect, test } from 'vitest';
import { markdownOf, showFull } from './card-full.ts';

const item = (id: string, pos: number, more = {}) => ({
  id,
  name: `Item ${id}`,
  state: 'incomplete',
  due: null,
  idMember: null,
  pos,
  idChecklist: 'list',
  nameData: null,
  ...more,
});
/** A card, and with everything that the service tells of one: items and checklists in no order. */
const bare = {
  id: 'card-1',
  shortLink: 'aBcD1234',
  name: 'Print flyers',
  url: 'https://boards.test/c/aBcD1234',
  desc: 'On thick paper.',
  idList: 'list-1',
  idBoard: 'board-1',
  closed: false,
  due: '2027-01-02T09:00:00.000Z',
  dueComplete: true,
  start: '2027-01-01T09:00:00.000Z',
  labels: [{ id: 'label-1', idBoard: 'board-1', name: 'Print', color: null, uses: 1 }],
  idMembers: ['ben'],
  pos: 1,
  dateLastActivity: '2026-12-01T09:00:00.000Z',
};
const card = {
  ...bare,
  badges: { comments: 2, votes: 0 },
  list: { id: 'list-1', name: 'To do', closed: false, pos: 1 },
  board: { id: 'board-1', name: 'Launch', url: 'https://boards.test/b/1' },
  members: [{ id: 'ben', username: 'ben', fullName: 'Ben Ito', initials: 'BI' }],
  checklists: [
    { id: 'cl-2', name: 'Second', idCard: 'card-1', pos: 2, checkItems: [] },
    {
      id: 'cl-1',
      name: 'First',
      idCard: 'card-1',
      pos: 1,
      checkItems: [item('b', 2, { state: 'complete', due: '2027-01-01T00:00:00.000Z', idMember: 'ben' }), item('a', 1)],
    },
  ],
  attachments: [
    {
      id: 'att-1',
      name: 'Draft',
      url: 'https://x.test/draft',
      mimeType: '',
      bytes: null,
      isUpload: false,
      date: '2026-12-01T09:00:00.000Z',
      pos: 1,
    },
  ],
  customFieldItems: [
    { id: 'item-1', idCustomField: 'field-1', idValue: null, value: { number: '7.5' } },
    { id: 'item-2', idCustomField: 'field-2', idValue: 'option-1', value: null },
    { id: 'item-3', idCustomField: 'gone', idValue: null, value: { text: 'Words' } },
  ],
};
const comment = {
  id: 'comment-1',
  date: '2026-12-01T10:00:00.000Z',
  idMemberCreator: 'ada',
  memberCreator: { id: 'ada', username: 'ada', fullName: 'Ada Marsh' },
  data: { text: 'Ready?', dateLastEdited: '2026-12-01T11:00:00.000Z', card: { id: 'card-1' } },
};
const fields = [
  { id: 'field-1', name: 'Cost', type: 'number' },
  { id: 'field-2', name: 'Size', type: 'list', options: [{ id: 'option-1', value: { text: 'A5' } }] },
];
const most = { maxComments: 10, maxDescChars: 5_000 };

const shownItem = ({ idChecklist: _list, nameData: _data, ...shown }: ReturnType<typeof item>) => shown;
const shown = {
  ...bare,
  board: card.board,
  labels: [{ id: 'label-1', name: 'Print', color: null }],
  commentCount: 2,
  list: { id: 'list-1', name: 'To do', closed: false },
  members: [{ id: 'ben', username: 'ben', fullName: 'Ben Ito' }],
  checklists: [
    {
      id: 'cl-1',
      name: 'First',
      idCard: 'card-1',
      pos: 1,
      items: [
        shownItem(item('a', 1)),
        shownItem(item('b', 2, { state: 'complete', due: '2027-01-01T00:00:00.000Z', idMember: 'ben' })),
      ],
    },
    { id: 'cl-2', name: 'Second', idCard: 'card-1', pos: 2, items: [] },
  ],
  attachments: card.attachments.map(({ pos: _pos, ...attachment }) => attachment),
  customFields: [
    { ...card.customFieldItems[0], name: 'Cost', text: '7.5' },
    { ...card.customFieldItems[1], name: 'Size', text: 'A5' },
    { ...card.customFieldItems[2], text: 'Words' },
  ],
  comments: [
    {
      commentId: 'comment-1',
      cardId: 'card-1',
      text: 'Ready?',
      createdAt: comment.date,
      editedAt: comment.data.dateLastEdited,
      author: { id: 'ada', username: 'ada', name: 'Ada Marsh' },
    },
  ],
  truncated: false,
};

test('a card is told with all that was read of it, parts in their order', () => {
  expect(showFull(card, { comments: [comment], fields }, most)).toEqual(shown);
});

test('what was not asked for is not told', () => {
  expect(showFull(bare, {}, most)).toEqual({ ...bare, labels: shown.labels, truncated: false });
});

test('as one text, a card tells the same', () => {
  const full = showFull(card, { comments: [comment], fields }, most);
  expect(markdownOf({ ...full, closed: true }, undefined)).toBe(`# Print flyers

- Board: Launch
- List: To do (archived card)
- Start: 2027-01-01T09:00:00.000Z
- Due: 2027-01-02T09:00:00.000Z (done)
- Labels: Print
- Members: Ben Ito
- Cost: 7.5
- Size: A5
- Address: https://boards.test/c/aBcD1234

On thick paper.

## First

- [ ] Item a
- [x] Item b

## Second

(no items)

## Attachments

- [Draft](https://x.test/draft)

## Comments

**Ada Marsh**, 2026-12-01T10:00:00.000Z:
Ready?
`);
});
