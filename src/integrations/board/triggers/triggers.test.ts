import { describe, expect, test } from 'vitest';
import type { Judgement, WebhookTrigger } from '#kit';
import {
  action,
  ada,
  ben,
  card,
  doing,
  id,
  kinds,
  label,
  launch,
  other,
  todo,
} from '../../../../test/board-actions.ts';
import { board } from '../index.ts';

const webhooks = board.triggers.filter((trigger): trigger is WebhookTrigger => trigger.kind === 'webhook');
const triggerOf = (name: string): WebhookTrigger => {
  const found = webhooks.find((trigger) => trigger.name === name);
  if (found === undefined) throw new Error(`there is no trigger ${name}`);
  return found;
};

const onBoards = ['new_board_activity', 'custom_webhook_events'];
const account = { id: 'acc_1', identity: { id: ada.id, name: ada.fullName, username: ada.username }, scopes: [] };
const context = { account, since: new Date(0), now: new Date('2024-01-13T03:00:00Z') };

const judge = (trigger: WebhookTrigger, delivery: unknown, config: object = {}): Judgement | 'other' => {
  const parsed = trigger.delivery.safeParse(delivery);
  return parsed.success ? trigger.judge(parsed.data, trigger.config.parse(config), context) : 'other';
};

describe.each(kinds)('%s', (_, delivery, expected) => {
  test('fires what it must, and no neighbour', () => {
    const fired = webhooks.filter((trigger) => {
      const judgement = judge(trigger, delivery);
      return judgement !== 'other' && judgement.outcome === 'fired';
    });
    expect(fired.map(({ name }) => name).toSorted()).toEqual([...expected, ...onBoards].toSorted());
  });

  test('is told in the shape that the trigger promises, and in one line', () => {
    for (const trigger of webhooks) {
      const parsed = trigger.delivery.safeParse(delivery);
      if (!parsed.success) continue;
      const event = trigger.toEvent(parsed.data, trigger.config.parse({}));
      expect(trigger.event.parse(event), trigger.name).toEqual(event);
      expect(trigger.summaryOf(parsed.data)).toMatch(/^Ada Marsh[: ] ?\S[^\n]{0,300}$/);
      expect(trigger.actorOf(parsed.data)).toEqual({ id: ada.id, name: ada.fullName });
    }
  });

  test('on another board, the boards of the configuration keep it out', () => {
    for (const trigger of webhooks.filter(({ config }) => 'boards' in config.shape)) {
      for (const boards of [[other.id], [other.shortLink], [`https://trello.com/b/${other.shortLink}/other`]]) {
        const judgement = judge(trigger, delivery, { boards });
        if (judgement === 'other' || judgement.outcome === 'skipped') continue;
        expect(judgement).toEqual({ outcome: 'filtered', clause: 'boards' });
      }
    }
  });
});

const kind = (name: string) => kinds.find(([each]) => each === name)?.[1];

/** [trigger, kind, configuration that admits it, the clause of one that does not, that configuration] */
const filters: readonly [string, string, object, string, object][] = [
  ['new_card', 'createCard', { boards: [launch.shortLink] }, 'lists', { lists: [doing.id] }],
  ['new_card', 'copyCard', { lists: ['to DO'] }, 'includeCopiedAndConverted', { includeCopiedAndConverted: false }],
  ['card_updated', 'a new name', { fields: ['name'] }, 'fields', { fields: ['desc', 'labels'] }],
  ['card_updated', 'a move between lists', { fields: ['idList'], lists: [doing.id] }, 'fields', { fields: ['pos'] }],
  ['card_updated', 'a move between lists', { lists: [todo.id] }, 'lists', { lists: [id(99)] }],
  ['card_updated', 'a new name', { cards: [card.shortLink] }, 'cards', { cards: [id(98)] }],
  ['card_updated', 'addLabelToCard', { fields: ['labels'] }, 'lists', { lists: [todo.id] }],
  ['card_moved', 'a move between lists', { fromLists: ['To do'] }, 'fromLists', { fromLists: [doing.id] }],
  ['card_moved', 'a move between lists', { toLists: [doing.id] }, 'toLists', { toLists: [todo.id] }],
  ['card_moved', 'moveCardToBoard', { toLists: [todo.id] }, 'fromLists', { fromLists: [todo.id] }],
  ['card_archived', 'bringing back', { alsoUnarchived: true }, 'alsoUnarchived', {}],
  ['card_archived', 'archiving', { cards: [`https://trello.com/c/${card.shortLink}`] }, 'lists', { lists: [doing.id] }],
  ['new_comment', 'commentCard', { contains: 'HELL' }, 'contains', { contains: 'bye' }],
  ['new_comment', 'commentCard', { lists: [todo.id] }, 'mentionsMe', { mentionsMe: true }],
  ['new_member_on_card', 'addMemberToCard', { members: ['@BEN'] }, 'members', { members: ['me'] }],
  ['new_member_on_card', 'addMemberToCard', { members: [ben.id] }, 'onlyMe', { onlyMe: true }],
  ['label_added_to_card', 'addLabelToCard', { labels: ['urgent'] }, 'labels', { labels: ['Later'] }],
  ['new_checklist', 'addChecklistToCard', { cards: [card.id] }, 'cards', { cards: [id(98)] }],
  ['new_attachment', 'addAttachmentToCard', { kind: 'link' }, 'kind', { kind: 'file' }],
  ['new_attachment', 'addAttachmentToCard', {}, 'mimeTypes', { mimeTypes: ['image/*'] }],
  ['new_board', 'createBoard', {}, 'workspaces', { workspaces: ['elsewhere'] }],
  [
    'new_board_activity',
    'commentCard',
    { activityTypes: ['commentCard'] },
    'activityTypes',
    { activityTypes: ['createCard'] },
  ],
  [
    'new_board_activity',
    'a move between lists',
    { activityTypes: ['updateCard:idList'] },
    'activityTypes',
    { activityTypes: ['updateCard:due'] },
  ],
  ['new_board_activity', 'commentCard', { members: ['me'] }, 'members', { members: ['ben'] }],
  ['new_board_activity', 'createLabel', { activityTypes: ['create'] }, 'cards', { cards: [card.id] }],
  [
    'custom_webhook_events',
    'deleteCard',
    { eventTypes: ['delete'], cards: [card.id] },
    'eventTypes',
    { eventTypes: ['update'] },
  ],
  ['custom_webhook_events', 'createList', { lists: [todo.id] }, 'cards', { lists: [todo.id], cards: [card.id] }],
  [
    'custom_webhook_events',
    'updateCheckItemStateOnCard',
    { eventTypes: ['update'] },
    'eventTypes',
    { eventTypes: ['updateCheckItem'] },
  ],
  ['custom_webhook_events', 'copyChecklist', {}, 'lists', { lists: [todo.id] }],
];

test.each(filters)('%s on %s: a filter names its clause', (name, of, admitting, clause, refusing) => {
  const trigger = triggerOf(name);
  expect(judge(trigger, kind(of), admitting)).toEqual({ outcome: 'fired' });
  expect(judge(trigger, kind(of), refusing)).toEqual({ outcome: 'filtered', clause });
});

test('a comment mentions somebody by the whole username', () => {
  const said = (text: string) =>
    judge(triggerOf('new_comment'), action('commentCard', { card, text }), { mentionsMe: true });
  for (const text of ['@ada look', 'well, @Ada.', '(@ada)']) expect(said(text), text).toEqual({ outcome: 'fired' });
  for (const text of ['ada', '@adam', '@ben']) expect(said(text), text).toMatchObject({ clause: 'mentionsMe' });
});

test('what a card update changed is told by field, from and to', () => {
  const { delivery, toEvent } = triggerOf('card_updated');
  const changes = (name: string): unknown => (toEvent(delivery.parse(kind(name)), {}) as { changes: unknown }).changes;
  expect(changes('a new due date')).toEqual([{ field: 'due', from: null, to: '2026-12-01T09:00:00.000Z' }]);
  expect(changes('a move between lists')).toEqual([{ field: 'idList', from: todo, to: doing }]);
  expect(changes('removeLabelFromCard')).toEqual([{ field: 'labels', from: label, to: null }]);
  expect(changes('addMemberToCard')).toEqual([
    { field: 'members', from: null, to: { id: ben.id, name: ben.fullName } },
  ]);
  expect(changes('moveCardToBoard')).toEqual([
    { field: 'idBoard', from: { id: other.id, name: other.name }, to: { id: launch.id, name: launch.name } },
  ]);
});

test('of a custom field that is chosen from a list, the option is told', () => {
  const { delivery, toEvent, config } = triggerOf('card_updated');
  const chosen = action('updateCustomFieldItem', {
    card,
    customField: { id: id(20), name: 'Priority', type: 'list' },
    customFieldItem: { id: id(21), value: null, idValue: id(22) },
    old: { value: null, idValue: id(23) },
  });
  const field = { id: id(20), name: 'Priority' };
  expect(toEvent(delivery.parse(chosen), config.parse({}))).toMatchObject({
    changes: [{ field: 'customFields', from: { ...field, value: id(23) }, to: { ...field, value: id(22) } }],
  });
});

test('any activity is told with all that its action has', () => {
  const { delivery, toEvent, event } = triggerOf('new_board_activity');
  const told = (type: string, data: object) => event.parse(toEvent(delivery.parse(action(type, data)), {}));
  const copied = told('copyCommentCard', { card, text: 'Hello' });
  expect(copied).toMatchObject({ comment: { text: 'Hello', capped: false } });
  const item = { id: card.id, name: 'One', state: 'complete' };
  expect(told('updateCheckItemStateOnCard', { card, checklist: { id: card.id }, checkItem: item })).toMatchObject({
    changes: [{ field: 'state', from: 'incomplete', to: 'complete' }],
  });
  const person = { idMember: ben.id, member: { id: ben.id, name: ben.fullName } };
  expect(told('removeMemberFromCard', { card, ...person })).toMatchObject({
    member: { id: ben.id, fullName: ben.fullName },
  });
  const attachment = { id: card.id, name: 'far away', url: `https://example.com/${'x'.repeat(5_000)}` };
  expect(told('addAttachmentToCard', { card, attachment })).toMatchObject({
    attachment: { id: card.id, name: 'far away' },
  });
});

test('long texts of others are cut', () => {
  const { delivery, toEvent, event } = triggerOf('new_comment');
  const long = action('commentCard', { card: { ...card, name: 'n'.repeat(9_000) }, text: 'x'.repeat(16_000) });
  const told = JSON.stringify(event.parse(toEvent(delivery.parse(long), {})));
  expect(told.length).toBeLessThan(4_000);
  expect(told).toContain('"capped":true');
});

test('a board older than the trigger is not new', () => {
  const { judge: decide, delivery, config } = triggerOf('new_board');
  const later = { ...context, since: new Date('2026-01-01T00:00:00Z') };
  expect(decide(delivery.parse(kind('createBoard')), config.parse({}), later)).toMatchObject({ outcome: 'skipped' });
});

test('one line says what happened', () => {
  const { delivery, summaryOf } = triggerOf('new_board_activity');
  const line = (name: string): string => summaryOf(delivery.parse(kind(name)));
  expect(line('a move between lists')).toBe('Ada Marsh moved “Print flyers” from “To do” to “Doing”');
  expect(line('addLabelToCard')).toBe('Ada Marsh put the label “Urgent” on “Print flyers”');
  expect(line('archiving')).toBe('Ada Marsh archived “Print flyers”');
  expect(line('voteOnCard')).toBe('Ada Marsh voted for “Print flyers”');
  expect(line('updateCustomFieldItem')).toBe('Ada Marsh changed “Cost” of “Print flyers”');
  expect(line('addToOrganizationBoard')).toBe('Ada Marsh added “Launch” to “us”');
  expect(summaryOf(delivery.parse(action('updateBoardVisibility', {})))).toBe(
    'Ada Marsh: update board visibility on “Launch”',
  );
});

test.each(kinds)('no type of the service stands in the line about %s', (_, each) => {
  const { delivery, summaryOf } = triggerOf('new_board_activity');
  expect(summaryOf(delivery.parse(each))).toMatch(/^Ada Marsh [a-z]/);
});

test.each(webhooks.map(({ name }) => name))('%s asks again what there is, unless it was chosen', (name) => {
  const { config, resourcesChange } = triggerOf(name);
  const place = 'boards' in config.shape ? 'boards' : 'workspaces';
  expect(resourcesChange?.(config.parse({}))).toBe(true);
  expect(resourcesChange?.(config.parse({ [place]: [id(3)] }))).toBe(false);
});
