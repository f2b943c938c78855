import { expect, test } from 'vitest';
import type { LookContext } from '#kit';
import { newNotification } from './new-notification.ts';

/** What the trigger tells of a notification, word for word. */
const told = async (notification: object) => {
  const upstream = { get: async (_: string, { query }: { query: { since?: string } }) => (query.since ? [given] : []) };
  const given = { id, type: 'commentCard', date, unread: true, ...notification };
  const account = { identity: { id: me } };
  const context = { upstream, account, config: newNotification.config.parse({}), since: new Date(date) };
  const asked = { ...context, now: new Date(date), pages: new URL('https://boards.test/') };
  const { sightings } = await newNotification.look(asked as unknown as LookContext<never>);
  const [{ event, summary, actor } = { event: null, summary: '', actor: undefined }] = sightings;
  expect(newNotification.event.parse(event)).toEqual(event);
  return { event, summary, actor };
};

const [id, me, ada] = ['6af960cc5a0db0a2c400006f', '6ae851105a0db0a2c4000002', '6ae851105a0db0a2c4000001'];
const date = '2026-11-15T07:35:40.724Z';
const board = { id: '6ae859bc5a0db0a2c4000009', name: 'Launch', shortLink: 'bOaRd123' };
const card = { id: '6af960cc5a0db0a2c4000067', name: 'Print flyers', shortLink: 'aBcD1234', idShort: 3 };
const memberCreator = { id: ada, fullName: 'Ada Marsh', username: 'ada', initials: 'AM' };
const by = { idMemberCreator: ada, memberCreator };

const shownBoard = { id: board.id, name: 'Launch', url: 'https://boards.test/b/bOaRd123' };
const shownCard = { id: card.id, name: 'Print flyers', shortLink: 'aBcD1234', url: 'https://boards.test/c/aBcD1234' };
const actor = { id: ada, name: 'Ada Marsh' };
const common = (type: string) => ({ id, type, date, unread: true });

test('a notification is told with its text, board, card and who caused it', async () => {
  expect(await told({ ...by, data: { board, card, text: 'Hello' } })).toEqual({
    event: {
      notification: { ...common('commentCard'), text: 'Hello', capped: false },
      board: shownBoard,
      card: shownCard,
      actor,
    },
    summary: 'Ada Marsh commented on “Print flyers”',
    actor,
  });
});

test('one that nobody caused, and that is about nothing here, is told as it is', async () => {
  expect(await told({ type: 'cardDueSoon', data: { board, card } })).toEqual({
    event: { notification: common('cardDueSoon'), board: shownBoard, card: shownCard },
    summary: '“Print flyers” is due soon',
    actor: undefined,
  });
  expect(await told({ type: 'memberJoinedTrello', idMemberCreator: null, memberCreator: null })).toEqual({
    event: { notification: common('memberJoinedTrello') },
    summary: 'The service: member joined trello',
    actor: undefined,
  });
});

test('what one part of it lacks takes no other part away', async () => {
  expect(await told({ ...by, data: { board, card, text: null } })).toEqual({
    event: { notification: common('commentCard'), board: shownBoard, card: shownCard, actor },
    summary: 'Ada Marsh commented on “Print flyers”',
    actor,
  });
  expect(await told({ ...by, type: 'addedToBoard', data: { board, card: null } })).toEqual({
    event: { notification: common('addedToBoard'), board: shownBoard, actor },
    summary: 'Ada Marsh added you to the board “Launch”',
    actor,
  });
});
