import { z } from 'zod';
import { defineStep, path, wrong } from '#kit';
import { EventId, findGone, keyOfGone, meantEvent, Scope, tellsOthers } from '../event-reads.ts';
import { unlessRemoved } from '../marker.ts';
import { Mailbox } from '../shapes.ts';
import { below, prefer } from '../wire.ts';

export const deleteEvent = defineStep({
  name: 'delete_event',
  title: 'Delete Event',
  group: 'Calendar',
  purpose: 'Delete an event, one occurrence or a whole series; attendees are told that it is cancelled.',
  effect: 'destroy',
  scopes: [['Calendars.ReadWrite']],
  input: z.object({
    eventId: EventId,
    scope: Scope,
    notify: z
      .boolean()
      .optional()
      .describe(
        'Cancel with the comment where you are the organizer. The service always tells attendees; false is refused then.',
      ),
    comment: z.string().max(10_000).optional().describe('What attendees are told with the cancellation.'),
    mailbox: Mailbox,
  }),
  output: z.object({
    eventId: z.string(),
    deleted: z.boolean(),
    cancelledNotified: z
      .boolean()
      .optional()
      .describe('Whether attendees were told that it is cancelled; left out where that is not known.'),
  }),
  summary: ({ cancelledNotified }) => {
    if (cancelledNotified === undefined) return 'Deleted the event.';
    return `Deleted the event; ${cancelledNotified ? 'attendees were told that it is cancelled' : 'nobody was told'}.`;
  },
  run: async ({ eventId, scope, notify, comment, mailbox }, context) => {
    const event = await unlessRemoved(context, meantEvent(context, mailbox, eventId, scope));
    const id = event?.id ?? keyOfGone(context, eventId);
    // Where it is gone already, nobody knows.
    const told = await context.before(z.boolean().nullable(), async () =>
      event === undefined ? null : tellsOthers(event),
    );
    if (told && notify === false) {
      throw wrong(
        'notify',
        'notify: attendees are always told when the organizer deletes a meeting; call again without notify.',
      );
    }
    if (told === false && comment !== undefined) {
      context.warn('Nobody was told: the comment only reaches attendees of a meeting that this mailbox organizes.');
    }
    if (told !== false && (notify === true || comment !== undefined)) {
      const body = { comment: comment ?? '' };
      await context.upstream.post(below(mailbox, path`/events/${id}/cancel`), { body, headers: prefer() });
    } else await context.upstream.delete(below(mailbox, path`/events/${id}`), { headers: prefer() });
    return { eventId: id, deleted: true, ...(told === null ? {} : { cancelledNotified: told }) };
  },
  find: (_, context) => findGone(context),
});
