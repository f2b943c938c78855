import type { EmailAddress, Json } from '../mailbox.ts';
import { escapeHtml } from '../text.ts';
import type { World } from '../world.ts';
import type { Instance } from './instances.ts';
import type { Moment } from './state.ts';
import { instantOf, toDateTimeTimeZone, wallText, zoneOf } from './zones.ts';

const utc = zoneOf('UTC');
const shown = ({ wall, zone }: Moment, isAllDay: boolean): Json =>
  isAllDay ? { dateTime: wallText(wall), timeZone: 'UTC' } : toDateTimeTimeZone(instantOf(wall, zoneOf(zone)), utc);

/** What every meeting mail says about its meeting. */
const facts = ({ event, day, content }: Instance): Json => ({
  isOutOfDate: false,
  isAllDay: content.isAllDay,
  isDelegated: false,
  type: day !== undefined ? 'occurrence' : event.recurrence === null ? 'singleInstance' : 'seriesMaster',
  startDateTime: shown(content.start, content.isAllDay),
  endDateTime: shown(content.end, content.isAllDay),
  location: content.locations[0] ?? null,
  recurrence: day === undefined ? event.recurrence : null,
});

export type Note =
  | { kind: 'request'; request: 'newMeetingRequest' | 'fullUpdate' | 'informationalUpdate' }
  | { kind: 'cancellation' }
  | {
      kind: 'response';
      response: 'accepted' | 'declined' | 'tentativelyAccepted';
      proposed?: { start: Moment; end: Moment } | undefined;
    };

const responses = {
  accepted: { type: 'meetingAccepted', prefix: 'Accepted: ' },
  declined: { type: 'meetingDeclined', prefix: 'Declined: ' },
  // The service spells it so.
  tentativelyAccepted: { type: 'meetingTenativelyAccepted', prefix: 'Tentative: ' },
} as const;

const describe = (one: Instance, note: Note): { prefix: string; meeting: Json } => {
  if (note.kind === 'cancellation') {
    const own = { '@odata.type': '#microsoft.graph.eventMessage', meetingMessageType: 'meetingCancelled' };
    return { prefix: 'Canceled: ', meeting: { ...own, ...facts(one) } };
  }
  if (note.kind === 'request') {
    const own = {
      '@odata.type': '#microsoft.graph.eventMessageRequest',
      meetingMessageType: 'meetingRequest',
      ...facts(one),
      responseRequested: one.event.responseRequested,
      allowNewTimeProposals: one.event.allowNewTimeProposals,
      meetingRequestType: note.request,
      previousLocation: null,
      previousStartDateTime: null,
      previousEndDateTime: null,
    };
    return { prefix: '', meeting: own };
  }
  const { type, prefix } = responses[note.response];
  const proposedNewTime = note.proposed
    ? { start: shown(note.proposed.start, false), end: shown(note.proposed.end, false) }
    : null;
  const own = { '@odata.type': '#microsoft.graph.eventMessageResponse', meetingMessageType: type };
  return { prefix, meeting: { ...own, ...facts(one), responseType: note.response, proposedNewTime } };
};

/** Sends a meeting mail. It leaves like any other mail: outbox, recipients, non-delivery reports. */
export const sendNote = (
  world: World,
  from: EmailAddress,
  to: readonly EmailAddress[],
  one: Instance,
  note: Note,
  comment = '',
): void => {
  if (to.length === 0) return;
  const { prefix, meeting } = describe(one, note);
  const { body, subject, importance } = one.content;
  const content = comment === '' ? body.content : `<p>${escapeHtml(comment)}</p>${body.content}`;
  world.send({
    from,
    to: [...to],
    subject: `${prefix}${subject}`,
    body:
      note.kind === 'response'
        ? { contentType: 'html', content: escapeHtml(comment) }
        : { contentType: comment === '' ? body.contentType : 'html', content },
    importance,
    meeting,
  });
};
