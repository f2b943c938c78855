import { accessDenied, GraphError } from '../graph-error.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import type { GraphRequest } from '../route.ts';
import { wireTime } from '../text.ts';
import { wholeEvent } from './instances.ts';
import type { EventItem } from './state.ts';

/** The id under which an online meeting is known to the meetings API, made from its join address. */
export const onlineMeetingId = (mailbox: Mailbox, joinUrl: string): string => {
  const thread = decodeURIComponent(/meetup-join\/([^/]+)/.exec(joinUrl)?.[1] ?? '');
  return Buffer.from(`1*${mailbox.owner}*0**${thread}`).toString('base64url');
};

const meetingOf = (mailbox: Mailbox, id: string): EventItem | undefined => {
  for (const event of mailbox.calendar.events.values()) {
    if (event.joinUrl !== null && event.isOrganizer && onlineMeetingId(mailbox, event.joinUrl) === id) return event;
  }
  return undefined;
};

/** Transcripts of an online meeting: one once it is over. Work accounts only, with admin consent. */
export const listTranscripts = (request: GraphRequest): Json => {
  const { mailbox, session, world, base } = request;
  if (session.person.kind !== 'work') throw accessDenied('This operation is not supported for personal accounts.');
  const id = request.params['meetingId'] ?? '';
  const event = meetingOf(mailbox, id);
  if (event === undefined) throw new GraphError(404, 'NotFound', 'The meeting was not found.');
  const { start, end } = wholeEvent(event);
  const transcript = {
    id: Buffer.from(`transcript ${event.iCalUId}`).toString('base64url'),
    meetingId: id,
    callId: event.iCalUId.slice(-32),
    contentCorrelationId: event.iCalUId.slice(-32),
    transcriptContentUrl: `${base}/users/${mailbox.owner}/onlineMeetings/${id}/transcripts/content`,
    createdDateTime: wireTime(start),
    endDateTime: wireTime(end),
    meetingOrganizer: { user: { id: mailbox.owner, displayName: event.organizer.name } },
  };
  return {
    '@odata.context': `${base}/$metadata#users('${mailbox.owner}')/onlineMeetings('${id}')/transcripts`,
    value: end < world.now() ? [transcript] : [],
  };
};
