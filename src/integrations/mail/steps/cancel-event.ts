import { z } from 'zod';
import { defineStep, Fault, listed, path } from '#kit';
import { EventId, findGone, keyOfGone, meantEvent, Scope } from '../event-reads.ts';
import { unlessRemoved } from '../marker.ts';
import { Mailbox } from '../shapes.ts';
import { below, prefer } from '../wire.ts';

export const cancelEvent = defineStep({
  name: 'cancel_event',
  title: 'Cancel Event',
  group: 'Calendar',
  purpose: 'Cancel a meeting that you organize and tell the attendees why.',
  effect: 'send',
  scopes: [['Calendars.ReadWrite']],
  input: z.object({
    eventId: EventId,
    scope: Scope,
    comment: z.string().max(10_000).default('').describe('What attendees are told.'),
    mailbox: Mailbox,
  }),
  output: z.object({ eventId: z.string(), cancelled: z.boolean(), notified: z.array(z.string()) }),
  summary: ({ notified }) => `Cancelled the event${notified.length === 0 ? '' : `; told ${listed(notified)}`}.`,
  run: async ({ eventId, scope, comment, mailbox }, context) => {
    const event = await unlessRemoved(context, meantEvent(context, mailbox, eventId, scope));
    if (event !== undefined && !event.isOrganizer) {
      throw new Fault(
        'invalid_input',
        'Only the organizer can cancel a meeting; use respond_to_event to decline it, or delete_event to remove it here.',
      );
    }
    const id = event?.id ?? keyOfGone(context, eventId);
    const invited = (event?.attendees ?? []).flatMap(({ emailAddress }) => emailAddress?.address ?? []);
    const notified = await context.before(z.array(z.string()), async () => invited);
    await context.upstream.post(below(mailbox, path`/events/${id}/cancel`), { body: { comment }, headers: prefer() });
    return { eventId: id, cancelled: true, notified };
  },
  find: (_, context) => findGone(context),
});
