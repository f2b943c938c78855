import { z } from 'zod';
import { definePollTrigger, path } from '#kit';
import { BoardId, Card, LeadTime, milliseconds } from '../shapes.ts';

export const cardDueReminder = definePollTrigger({
  name: 'card_due_reminder',
  title: 'Card Due Date Reminder',
  purpose: 'Fires a set time before a card is due.',
  every: { seconds: 60 },
  config: z.object({
    boards: z.array(BoardId).min(1).describe('Boards to watch.'),
    leadTime: LeadTime.default('PT1H').describe('How long before the due date, as an ISO 8601 duration.'),
  }),
  event: Card,
  look: async ({ upstream, config: { boards, leadTime }, since, now }) => {
    const found = await Promise.all(boards.map((id) => upstream.get(path`/1/boards/${id}/cards`)));
    const soon = new Date(now.getTime() + milliseconds(leadTime));
    const sightings = z
      .array(z.array(Card))
      .parse(found)
      .flat()
      .filter(({ due, dueComplete }) => due !== null && !dueComplete && new Date(due) > since && new Date(due) <= soon)
      // A due date that moves earns a new reminder.
      .map((card) => ({
        key: `${card.id} ${card.due} ${leadTime}`,
        order: card.due ?? '',
        subject: card.id,
        at: now,
        event: card,
        summary: `${card.name} is due`,
      }));
    return { sightings, cursor: {} };
  },
  sample: {
    id: '5f0000000000000000000001',
    shortLink: 'AbCdEfGh',
    name: 'Print the flyers',
    url: 'https://boards.example/c/AbCdEfGh',
    desc: '',
    idList: '5f0000000000000000000002',
    idBoard: '5f0000000000000000000003',
    closed: false,
    due: '2026-06-01T09:00:00.000Z',
    dueComplete: false,
    start: null,
    labels: [],
    idMembers: [],
    pos: 1,
    dateLastActivity: null,
  },
});
