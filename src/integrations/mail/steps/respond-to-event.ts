import { z } from 'zod';
import { defineStep, Fault, path, wrong } from '#kit';
import { zonesOf } from '../calendars.ts';
import { EventId, keyOfGone, meantEvent, Scope } from '../event-reads.ts';
import { WireEvent } from '../event-shapes.ts';
import { unlessGone, unlessRemoved } from '../marker.ts';
import { Mailbox } from '../shapes.ts';
import { readTime, TimeInput, toService, ZoneInput } from '../times.ts';
import { below, madeBy, prefer } from '../wire.ts';

const actions = { accept: 'accept', decline: 'decline', tentative: 'tentativelyAccept' } as const;
const answers = { accept: 'accepted', decline: 'declined', tentative: 'tentativelyAccepted' } as const;

export const respondToEvent = defineStep({
  name: 'respond_to_event',
  title: 'Respond to Event',
  group: 'Calendar',
  purpose: 'Accept, decline or tentatively accept an invitation, and propose another time if need be.',
  effect: 'send',
  scopes: [['Calendars.ReadWrite']],
  input: z.object({
    eventId: EventId,
    scope: Scope,
    response: z.enum(['accept', 'decline', 'tentative']).describe('What to answer.'),
    comment: z.string().max(10_000).optional().describe('A line to the organizer.'),
    sendResponse: z.boolean().default(true).describe('false answers only in your own calendar; nobody is told.'),
    proposedStart: TimeInput.optional().describe('Propose that it starts then (when declining or tentative).'),
    proposedEnd: TimeInput.optional().describe('Propose that it ends then.'),
    timeZone: ZoneInput,
    mailbox: Mailbox,
  }),
  output: z.object({ eventId: z.string(), response: z.string(), organizerTold: z.boolean() }),
  summary: ({ response, organizerTold }) =>
    `Answered the invitation: ${response === answers.tentative ? 'tentatively accepted' : response}; the organizer was ${organizerTold ? '' : 'not '}told.`,
  check: ({ proposedStart, proposedEnd }) => {
    if ((proposedStart === undefined) !== (proposedEnd === undefined)) {
      throw wrong(['proposedStart', 'proposedEnd'], 'A proposed time needs both proposedStart and proposedEnd.');
    }
  },
  run: async (input, context) => {
    const { eventId, scope, response, comment, sendResponse, proposedStart, proposedEnd, timeZone, mailbox } = input;
    const proposes = proposedStart !== undefined && proposedEnd !== undefined;
    if (proposes && (response === 'accept' || !sendResponse)) {
      throw wrong(
        ['response', 'sendResponse'],
        'Another time can only be proposed with "decline" or "tentative", in a response that is sent.',
      );
    }
    const event = await unlessRemoved(context, meantEvent(context, mailbox, eventId, scope));
    if (event?.isOrganizer) {
      throw new Fault('invalid_input', 'You organize this meeting; use update_event or cancel_event.');
    }
    let proposal = {};
    if (proposes) {
      const zones = await zonesOf(context, timeZone, [proposedStart, proposedEnd]);
      const [start, end] = [
        readTime('proposedStart', proposedStart, zones),
        readTime('proposedEnd', proposedEnd, zones),
      ];
      if (end.instant <= start.instant) throw wrong('proposedEnd', 'proposedEnd must be after proposedStart.');
      proposal = { proposedNewTime: { start: toService(start), end: toService(end) } };
    }
    const id = event?.id ?? keyOfGone(context, eventId);
    const body = { sendResponse, ...(comment === undefined ? {} : { comment }), ...proposal };
    const place = below(mailbox, path`/events/${id}/${actions[response]}`);
    await context.upstream.post(place, { body, headers: prefer() });
    return { eventId: id, response: answers[response], organizerTold: sendResponse };
  },
  find: async ({ response }, { upstream, request, since, mark }) => {
    const place = request.path.replace(/\/[^/]+$/, '') as typeof request.path;
    const left = await unlessGone(upstream.get(place, { headers: prefer() }));
    // What is declined leaves the calendar. Of anything else that is gone, nobody can tell what was answered before.
    if (left === undefined) return response === 'decline' ? { made: [madeBy({}, place, mark(1))] } : 'unclear';
    const { responseStatus } = WireEvent.parse(left);
    const answered = responseStatus?.response === answers[response];
    const lately = Date.parse(responseStatus?.time ?? '') >= since.getTime();
    return { made: answered && lately ? [madeBy({}, place, mark(1))] : [] };
  },
});
