import { describe, expect, test } from 'vitest';
import type { OwnWrite } from '#kit';
import { Action, occurrenceOf } from './occurrence.ts';
import { own } from './own.ts';

const at = new Date('2026-11-15T08:00:00.000Z');
const second = Math.floor(at.getTime() / 1000).toString(16);
const id = (n: number): string => `6ae859bc5a0db0a2c40000${n.toString(16).padStart(2, '0')}`;
const fresh = (n: number): string => `${second}5a0db0a2c40000${n.toString(16).padStart(2, '0')}`;
const ada = id(1);
const card = { id: id(2), shortLink: 'aBcD1234', name: 'A card' };
const list = { id: id(3), name: 'To do' };
const done = { id: id(4), name: 'Done' };
const label = { id: id(5), name: 'Urgent' };
const born = { id: fresh(6), shortLink: 'nEwCaRd1', name: 'New' };
const checklist = { id: id(7), name: 'Steps' };

const happened = (type: string, data: object, more: object = {}) =>
  occurrenceOf(
    Action.parse({
      id: fresh(99),
      type,
      date: at.toISOString(),
      idMemberCreator: ada,
      data: { board: { id: id(9) }, ...data },
      ...more,
    }),
  );

const write = (method: string, path: string, body: unknown, more: Partial<OwnWrite> = {}): OwnWrite => ({
  method,
  path,
  body,
  upstreamId: null,
  state: 'sent',
  at: new Date(at.getTime() - 800),
  ...more,
});

const moved = happened('updateCard', {
  card: { ...card, idList: done.id },
  old: { idList: list.id },
  listBefore: list,
  listAfter: done,
});
const renamed = happened('updateCard', { card: { ...card, name: 'B' }, old: { name: 'A card' }, list });
const dated = happened('updateCard', { card: { ...card, due: '2027-01-05T10:00:00.000Z' }, old: { due: null }, list });
const commented = happened('commentCard', { card, text: 'Hello', list });
const labelled = happened('addLabelToCard', { card, label });
const unlabelled = happened('removeLabelFromCard', { card, label });
const joined = happened('addMemberToCard', { card, idMember: id(8) });
const created = happened('createCard', { card: born, list });
const bornDated = happened('updateCard', { card: { ...born, due: 'x' }, old: { due: null }, list });
const listed = happened('addChecklistToCard', { card, checklist });

const checkItem = { id: id(10), name: 'One', state: 'incomplete' };
const unticked = happened('updateCheckItemStateOnCard', { card, checklist, checkItem });
const left = happened('moveCardFromBoard', { card, list, boardTarget: { id: id(50) } });
const edited = happened('updateComment', { card, action: { id: id(11), text: 'Hello' }, old: { text: 'x' } });
const broughtBack = happened('updateCard', { card: { ...card, closed: false }, old: { closed: true }, list });
const covered = happened('updateCard', { card: { ...card, cover: { color: 'red' } }, old: { cover: {} }, list });
const attachedCover = happened('updateCard', {
  card: { ...card, idAttachmentCover: id(12) },
  old: { idAttachmentCover: null },
  list,
});

const field = { id: id(30), name: 'State', type: 'text' };
const filled = (item: object) => happened('updateCustomFieldItem', { card, customField: field, customFieldItem: item });
const drafted = filled({ id: id(31), value: { text: 'Draft' }, idCustomField: field.id });
const priced = filled({ id: id(31), value: { number: '12.5' } });
const chosen = filled({ id: id(31), value: null, idValue: id(32) });
const emptied = filled({ id: id(31), value: null });
const item = `/1/cards/${card.id}/customField/${field.id}/item`;
const itemRenamed = happened('updateCheckItem', { card, checklist, checkItem, old: { name: 'A' } });
const itemDated = happened('updateCheckItem', { card, checklist, checkItem, old: { due: null } });
const labelRenamed = happened('updateLabel', { label, old: { name: 'Soon' } });
const boardRenamed = happened('updateBoard', { board: { id: id(9), name: 'Plan' }, old: { name: 'A' } });
const boardColored = happened('updateBoard', { board: { id: id(9), prefs: { x: 1 } }, old: { prefs: { x: 2 } } });
const listCame = happened('moveListToBoard', { list, boardSource: { id: id(50) } });
const housed = happened('addToOrganizationBoard', { organization: { id: id(33) } });
const unhoused = happened('removeFromOrganizationBoard', { organization: { id: id(33) } });
const converted = happened('convertToCardFromCheckItem', { card: born, list, cardSource: card, checklist });
const convert = `/1/cards/${card.id}/checklist/${checklist.id}/checkItem/${id(10)}/convertToCard`;
const defined = happened('createCustomField', { customField: field });

const came = happened('moveCardToBoard', { card, list, boardSource: { id: id(50) } });
const archived = happened('updateCard', { card: { ...card, closed: true }, old: { closed: false }, list });
const painted = happened('updateCard', {
  card: { ...card, cover: { color: 'red', size: 'full', idAttachment: null } },
  old: { cover: {} },
  list,
});
const begun = happened('updateCard', { card: { ...card, start: null }, old: { start: 'x' }, list });
const moveAll = `/1/lists/${list.id}/moveAllCards`;

const copied = happened('copyChecklist', { checklist, checklistSource: { id: id(51) } });

const place = `/1/cards/${card.id}`;

describe('a write that explains what happened', () => {
  test.each([
    ['a move', moved, write('PUT', place, { idList: done.id, pos: 'bottom' }, { upstreamId: card.id })],
    ['a move by its short link', moved, write('PUT', '/1/cards/aBcD1234', { idList: done.id })],
    ['a move of the field alone', moved, write('PUT', `${place}/idList`, { value: done.id })],
    ['a name among other fields', renamed, write('PUT', place, { name: 'B', desc: 'x' })],
    ['a due date in another spelling', dated, write('PUT', place, { due: '2027-01-05T11:00:00+01:00' })],
    ['a comment by its id', commented, write('POST', `${place}/actions/comments`, {}, { upstreamId: fresh(99) })],
    ['a comment by its text', commented, write('POST', `${place}/actions/comments`, { text: 'Hello ' })],
    ['a label', labelled, write('POST', `${place}/idLabels`, { value: label.id })],
    ['a label among all', labelled, write('PUT', place, { idLabels: [id(50), label.id] })],
    ['a label taken off', unlabelled, write('DELETE', `${place}/idLabels/${label.id}`, undefined)],
    ['a label that is not among all', unlabelled, write('PUT', place, { idLabels: [id(50)] })],
    ['a member', joined, write('POST', `${place}/idMembers`, { value: id(8) })],
    ['a card by its id', created, write('POST', '/1/cards', { name: 'x' }, { upstreamId: born.id })],
    ['a card by what it is like', created, write('POST', '/1/cards', { name: 'New', idList: list.id })],
    [
      'a card of a list that was copied',
      happened('copyCard', { card: born, list: { id: fresh(13) } }),
      write('POST', '/1/lists', { idListSource: list.id }, { upstreamId: fresh(13) }),
    ],
    ['a custom field', drafted, write('PUT', item, { value: { text: 'Draft' } })],
    ['a number in another spelling', priced, write('PUT', item, { value: { number: '12.50' } })],
    ['a choice', chosen, write('PUT', item, { idValue: id(32), value: '' })],
    ['a field emptied', emptied, write('PUT', item, { value: '', idValue: '' })],
    [
      'several fields',
      drafted,
      write('PUT', `/1/cards/aBcD1234/customFields`, {
        customFieldItems: [{ idCustomField: field.id, value: { text: 'Draft' } }],
      }),
    ],
    ['a new custom field', defined, write('POST', '/1/customFields', {}, { upstreamId: field.id })],
    ['an item renamed', itemRenamed, write('PUT', `${place}/checkItem/${id(10)}`, { name: 'One' })],
    ['an item with a date, which is not told', itemDated, write('PUT', `${place}/checkItem/${id(10)}`, { due: 'x' })],
    ['an item that becomes a card', converted, write('POST', convert, {}, { upstreamId: born.id })],
    ['a label renamed', labelRenamed, write('PUT', `/1/labels/${label.id}/name`, { value: 'Urgent' })],
    ['a board renamed', boardRenamed, write('PUT', `/1/boards/${id(9)}`, { name: 'Plan' })],
    ['a cover, of which a part is sent', painted, write('PUT', place, { cover: { color: 'red' } })],
    ['a start that is cleared', begun, write('PUT', place, { start: '' })],
    ['an attachment that becomes the cover', attachedCover, write('POST', `${place}/attachments`, { setCover: true })],
    [
      'an attachment that became the cover',
      attachedCover,
      write('POST', `${place}/attachments`, {}, { upstreamId: id(12) }),
    ],
    ['archiving all cards of its list', archived, write('POST', `/1/lists/${list.id}/archiveAllCards`, {})],
    ['moving all cards of its list', moved, write('POST', moveAll, { idBoard: id(9), idList: done.id })],
    ['moving it to another board', left, write('PUT', place, { idBoard: id(50), idList: id(62) })],
    ['moving it to another board by the field alone', left, write('PUT', `${place}/idBoard`, { value: id(50) })],
    [
      'moving it to another board by a name that is not told there',
      happened('moveCardFromBoard', { card: { id: card.id }, list, boardTarget: { id: id(50) } }),
      write('PUT', '/1/cards/aBcD1234', { idBoard: id(50) }, { upstreamId: card.id }),
    ],
    [
      'moving all cards of its list to another board',
      left,
      write('POST', moveAll, { idBoard: id(50), idList: id(62) }),
    ],
    ['moving it here', came, write('PUT', place, { idBoard: id(9) })],
    ['moving it into a list here', came, write('PUT', place, { idList: list.id })],
    ['moving all cards of a list here', came, write('POST', `/1/lists/${id(62)}/moveAllCards`, { idBoard: id(9) })],
    ['another look of a board', boardColored, write('PUT', `/1/boards/${id(9)}/prefs/x`, { value: 1 })],
    ['a list moved here', listCame, write('PUT', `/1/lists/${list.id}`, { idBoard: id(9) })],
    ['a board put into a workspace', housed, write('PUT', `/1/boards/${id(9)}`, { idOrganization: id(33) })],
    ['a board taken out', unhoused, write('PUT', `/1/boards/${id(9)}`, { idOrganization: '' })],
    ['a board closed', happened('closeBoard', {}), write('PUT', `/1/boards/${id(9)}/closed`, { value: 'true' })],
    [
      'another role',
      happened('makeAdminOfBoard', { idMember: id(8) }),
      write('PUT', `/1/boards/${id(9)}/members/${id(8)}`, { type: 'admin' }),
    ],
    [
      'what comes with a card before the card is answered',
      bornDated,
      write('POST', '/1/cards', { name: 'New', idList: list.id, due: 'x' }),
    ],
    [
      'a person on a new card',
      happened('addMemberToCard', { card: born, idMember: id(8) }),
      write('POST', '/1/cards', { idMembers: `${id(7)},${id(8)}` }, { upstreamId: born.id }),
    ],
    [
      'what is attached to a new card',
      happened('addAttachmentToCard', { card: born, attachment: { id: fresh(20) } }),
      write('POST', '/1/cards', { urlSource: 'https://example.com/a.png' }, { upstreamId: born.id }),
    ],
    [
      'a card of a list that is being copied',
      happened('copyCard', { card: born, list: { id: fresh(13), name: 'Twin' } }),
      write('POST', '/1/lists', { idListSource: list.id, name: 'Twin' }),
    ],
    [
      'a card of a list that was copied by the board’s address',
      happened('copyCard', { card: born, list: { id: fresh(13) } }),
      write('POST', `/1/boards/${id(9)}/lists`, { idListSource: list.id }, { upstreamId: fresh(13) }),
    ],
    ['what comes with a card', bornDated, write('POST', '/1/cards', { due: 'x' }, { upstreamId: born.id })],
    [
      'a checklist',
      listed,
      write('POST', '/1/checklists', { idCard: card.id, name: 'Steps' }, { upstreamId: checklist.id }),
    ],
  ])('%s', (_, occurrence, by) => {
    expect(own.isCausedBy(occurrence, by)).toBe(true);
    expect(own.isCausedBy(occurrence, { ...by, state: 'unknown' })).toBe(true);
    expect(own.isCausedBy(occurrence, { ...by, state: 'intended' })).toBe('undecided');
    expect(own.isCausedBy(occurrence, { ...by, state: 'not_sent' })).toBe(false);
    // Long ago it cannot have been, unless what it made is the very thing.
    const isTheThing = by.upstreamId === (occurrence.body as { id: string }).id;
    expect(own.isCausedBy(occurrence, { ...by, at: new Date(at.getTime() - 600_000) })).toBe(isTheThing);
  });
});

describe('a write that does not', () => {
  test.each([
    ['another card', moved, write('PUT', `/1/cards/${id(60)}`, { idList: done.id })],
    ['another list: somebody moved it on', moved, write('PUT', place, { idList: list.id })],
    ['another field', renamed, write('PUT', place, { desc: 'B' })],
    ['another name', renamed, write('PUT', place, { name: 'C' })],
    ['another comment', commented, write('POST', `${place}/actions/comments`, {}, { upstreamId: fresh(98) })],
    ['another text', commented, write('POST', `${place}/actions/comments`, { text: 'Bye' })],
    ['another label', labelled, write('POST', `${place}/idLabels`, { value: id(50) })],
    ['a label put on, when it was taken off', unlabelled, write('POST', `${place}/idLabels`, { value: label.id })],
    ['a read', moved, write('GET', place, undefined)],
    [
      'ticking an item, which somebody takes back',
      unticked,
      write('PUT', `${place}/checkItem/${id(10)}`, { state: 'complete' }),
    ],
    ['a rename, after which somebody moves it elsewhere', left, write('PUT', place, { name: 'B' })],
    ['moving it to a third board', left, write('PUT', place, { idBoard: id(51) })],
    ['another text of a comment', edited, write('PUT', `/1/actions/${id(11)}`, { text: 'Bye' })],
    [
      'moving all cards of its list',
      renamed,
      write('POST', `/1/lists/${list.id}/moveAllCards`, { idBoard: id(9), idList: done.id }),
    ],
    ['a read of what somebody deletes', happened('deleteCard', { card }), write('GET', place, undefined)],
    ['another size of the cover', painted, write('PUT', place, { cover: { color: 'red', size: 'half' } })],
    ['a start that somebody clears', begun, write('PUT', place, { start: '2027-01-05' })],
    ['attaching something, not as the cover', attachedCover, write('POST', `${place}/attachments`, { url: 'x' })],
    [
      'attaching a cover, while somebody renames it',
      renamed,
      write('POST', `${place}/attachments`, { setCover: true }),
    ],
    ['moving all cards of another list', moved, write('POST', `/1/lists/${id(62)}/moveAllCards`, { idList: done.id })],
    ['moving all cards of its list to a third board', left, write('POST', moveAll, { idBoard: id(51) })],
    [
      'moving it to another board by the field alone, and to a third',
      left,
      write('PUT', `${place}/idBoard`, { value: id(51) }),
    ],
    [
      'moving another card there',
      happened('moveCardFromBoard', { card: { id: card.id }, list, boardTarget: { id: id(50) } }),
      write('PUT', '/1/cards/eLsE1234', { idBoard: id(50) }, { upstreamId: id(63) }),
    ],
    ['moving it into another list here', came, write('PUT', place, { idList: done.id })],
    ['a card of another name', created, write('POST', '/1/cards', { name: 'Old', idList: list.id })],
    ['a card in another list', created, write('POST', '/1/cards', { name: 'New', idList: done.id })],
    ['bringing it back', broughtBack, write('POST', `/1/lists/${list.id}/archiveAllCards`, {})],
    ['another cover', covered, write('PUT', place, { cover: { color: 'blue' } })],
    ['attaching something else', attachedCover, write('POST', `${place}/attachments`, {}, { upstreamId: id(52) })],
    [
      'copying a list, long before',
      happened('copyCard', { card: born, list }),
      write('POST', '/1/lists', { idListSource: id(53) }, { upstreamId: list.id }),
    ],
    ['another value of a custom field', drafted, write('PUT', item, { value: { text: 'Done' } })],
    ['another choice', chosen, write('PUT', item, { idValue: id(34) })],
    ['a value of a field that somebody empties', emptied, write('PUT', item, { value: { text: 'Draft' } })],
    [
      'another custom field',
      drafted,
      write('PUT', `${place}/customField/${id(35)}/item`, { value: { text: 'Draft' } }),
    ],
    ['another name of an item', itemRenamed, write('PUT', `${place}/checkItem/${id(10)}`, { name: 'Two' })],
    ['another name of a label', labelRenamed, write('PUT', `/1/labels/${label.id}`, { name: 'Later' })],
    ['another name of a board', boardRenamed, write('PUT', `/1/boards/${id(9)}`, { name: 'Other' })],
    ['renaming a list, which somebody moves', listCame, write('PUT', `/1/lists/${list.id}`, { name: 'To do' })],
    ['renaming a board, which somebody moves', housed, write('PUT', `/1/boards/${id(9)}`, { name: 'Plan' })],
    ['renaming a board, which somebody takes out', unhoused, write('PUT', `/1/boards/${id(9)}`, { name: 'Plan' })],
    ['opening a board again', happened('closeBoard', {}), write('PUT', `/1/boards/${id(9)}`, { closed: false })],
    ['making a card without that', bornDated, write('POST', '/1/cards', { name: 'New' }, { upstreamId: born.id })],
    [
      'making a card with other people',
      happened('addMemberToCard', { card: born, idMember: id(8), list }),
      write('POST', '/1/cards', { idMembers: [id(7)] }, { upstreamId: born.id }),
    ],
    [
      'copying a card, which somebody renames at once',
      happened('updateCard', { card: { ...born, name: 'B' }, old: { name: 'New' }, list }),
      write('POST', '/1/cards', { idCardSource: card.id }, { upstreamId: born.id }),
    ],
    [
      'copying a list, to which somebody moves an older card at once',
      happened('moveCardToBoard', { card, list: { id: fresh(13) } }),
      write('POST', '/1/lists', { idListSource: list.id }, { upstreamId: fresh(13) }),
    ],
    ['making a card, long before', moved, write('POST', '/1/cards', { idList: done.id }, { upstreamId: card.id })],
    ['another new card', created, write('POST', '/1/cards', { name: 'New', idList: list.id }, { upstreamId: id(61) })],
  ])('%s', (_, occurrence, by) => {
    expect(own.isCausedBy(occurrence, by)).toBe(false);
  });
});

test('what somebody else did is not ours, however alike, unless it is the very thing that was made', () => {
  const ben = (occurrence: typeof moved) => ({
    ...occurrence,
    body: { ...(occurrence.body as object), idMemberCreator: id(70) },
  });
  const reordered = happened('updateCard', { card: { ...card, pos: 7 }, old: { pos: 3 }, list });
  const ours = write('PUT', place, { idList: done.id, pos: 'bottom' }, { upstreamId: card.id, by: ada });
  expect([reordered, ben(reordered)].map((occurrence) => own.isCausedBy(occurrence, ours))).toEqual([true, false]);
  const making = write('POST', '/1/cards', { due: 'x' }, { upstreamId: born.id, by: ada });
  expect(own.isCausedBy(bornDated, making)).toBe(true);
  expect(own.isCausedBy(ben(happened('commentCard', { card: born, text: 'Hi', list })), making)).toBe(false);
  const comment = write('POST', `${place}/actions/comments`, {}, { upstreamId: fresh(99), by: ada });
  expect(own.isCausedBy(ben(commented), comment)).toBe(true);
});

test("what the account itself did may be its own, what nobody is named for any account's", () => {
  const account = { id: 'acc_1', identity: { id: ada, name: 'Ada' }, scopes: [] };
  const other = { ...account, identity: { id: id(70), name: 'Ben' } };
  expect(own.isSuspect(moved, account)).toBe(true);
  expect(own.isSuspect(moved, other)).toBe(false);
  const told = { ...labelled, body: { ...(labelled.body as object), idMemberCreator: undefined, told: 'state' } };
  expect([own.isSuspect(told, other), own.isAnyones?.(told)]).toEqual([false, true]);
  expect(own.isAnyones?.(labelled)).toBe(false);
});

test('it is recorded under the ids of what it made or changed', () => {
  expect(own.traces(labelled)).toEqual(expect.arrayContaining([fresh(99), card.id, label.id]));
  expect(own.traces(commented)).toContain(fresh(99));
});

test('a label that a new card was made with is part of making it, also where it is found later; one that it gets is not', () => {
  const body = { ...(happened('addLabelToCard', { card: born, label }).body as object), id: 'state x', told: 'state' };
  const late = { ...labelled, subject: born.id, body };
  const making = (idLabels: string[]) => write('POST', '/1/cards', { idLabels }, { upstreamId: born.id });
  expect([making([label.id]), making([])].map((each) => own.isCausedBy(late, each))).toEqual([true, false]);
});

test('what comes with a copied card is looked up, and undecided while something is being copied', () => {
  const came = happened('addMemberToCard', { card: born, idMember: id(8) });
  const copying = { idListSource: list.id, name: 'Twin' };
  const state = 'intended' as const;
  expect([came, joined, copied].map((each) => own.isUnplaced?.(each))).toEqual([true, false, true]);
  for (const each of [
    write('POST', '/1/lists', copying, { state }),
    write('POST', '/1/cards', { idCardSource: card.id }, { state }),
  ]) {
    expect(own.isCausedBy(came, each)).toBe('undecided');
    expect(own.isCausedBy(came, { ...each, state: 'sent' })).toBe(false);
  }
});
