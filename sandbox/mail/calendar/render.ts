import { changeKey, etag } from '../ids.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { bodyAs } from '../messages/view.ts';
import type { Prefer } from '../prefer.ts';
import { previewOf, wireTime } from '../text.ts';
import { type Instance, instanceId, instantOfMoment } from './instances.ts';
import { dateOf } from './occurrence-days.ts';
import type { Attendee, Moment } from './state.ts';
import { toDateTimeTimeZone, wallText, type Zone, zoneNamed } from './zones.ts';

export type EventView = Pick<Prefer, 'timeZone' | 'bodyType' | 'immutableIds'>;
export const everydayView: EventView = { timeZone: undefined, bodyType: undefined, immutableIds: false };

/** Times are shown in UTC unless `Prefer: outlook.timezone` asks for a zone. */
export const viewZone = (view: EventView): Zone => zoneNamed(view.timeZone ?? 'UTC');

const moment = (value: Moment, isAllDay: boolean, zone: Zone): Json =>
  isAllDay
    ? { dateTime: wallText(value.wall), timeZone: zone.name }
    : toDateTimeTimeZone(instantOfMoment(value, false), zone);

const attendee = ({ type, status, emailAddress, proposedNewTime }: Attendee, zone: Zone): Json => ({
  type,
  status,
  emailAddress,
  ...(proposedNewTime && {
    proposedNewTime: {
      start: moment(proposedNewTime.start, false, zone),
      end: moment(proposedNewTime.end, false, zone),
    },
  }),
});

const typeOf = ({ event, day }: Instance): string => {
  if (day === undefined) return event.recurrence === null ? 'singleInstance' : 'seriesMaster';
  return event.exceptions.has(day) ? 'exception' : 'occurrence';
};

/** An event as it is on the wire, navigation properties left out. */
export const renderEvent = (mailbox: Mailbox, one: Instance, view: EventView): Json => {
  const { event, content, day } = one;
  const zone = viewZone(view);
  const id = instanceId(mailbox, one, view.immutableIds);
  const key = changeKey(event.seq, event.version);
  const occurrence = day !== undefined;
  const type = typeOf(one);
  return {
    '@odata.etag': etag(key),
    id,
    createdDateTime: wireTime(event.created),
    lastModifiedDateTime: wireTime(event.modified),
    changeKey: key,
    categories: content.categories,
    transactionId: event.transactionId,
    originalStartTimeZone: event.start.zone,
    originalEndTimeZone: event.end.zone,
    iCalUId: event.iCalUId,
    reminderMinutesBeforeStart: content.reminderMinutesBeforeStart,
    isReminderOn: content.isReminderOn,
    hasAttachments: event.attachments.some(({ isInline }) => !isInline),
    subject: content.subject,
    bodyPreview: previewOf(content.body),
    importance: content.importance,
    sensitivity: content.sensitivity,
    isAllDay: content.isAllDay,
    isCancelled: content.isCancelled,
    isOrganizer: event.isOrganizer,
    responseRequested: event.responseRequested,
    seriesMasterId: occurrence ? instanceId(mailbox, { event, day: undefined }, view.immutableIds) : null,
    showAs: content.showAs,
    type,
    webLink: `https://outlook.office365.com/owa/?itemid=${encodeURIComponent(id)}&exvsurl=1&path=/calendar/item`,
    onlineMeetingUrl: null,
    isOnlineMeeting: event.isOnlineMeeting,
    onlineMeetingProvider: event.onlineMeetingProvider,
    allowNewTimeProposals: event.allowNewTimeProposals,
    isDraft: event.isDraft,
    hideAttendees: event.hideAttendees,
    ...(type === 'exception' && { originalStart: wireTime(originalStart(one)) }),
    recurrence: occurrence ? null : event.recurrence,
    ...(type === 'seriesMaster' && {
      cancelledOccurrences: event.cancelledDays.map((gone) => `OID.${id}.${dateOf(gone)}`),
    }),
    responseStatus: content.responseStatus,
    body: bodyAs(content.body, view.bodyType),
    start: moment(content.start, content.isAllDay, zone),
    end: moment(content.end, content.isAllDay, zone),
    location: content.locations[0] ?? {
      displayName: '',
      locationType: 'default',
      uniqueIdType: 'unknown',
      address: {},
      coordinates: {},
    },
    locations: content.locations,
    attendees: (event.hideAttendees && !event.isOrganizer ? [] : content.attendees).map((one) => attendee(one, zone)),
    organizer: { emailAddress: event.organizer },
    onlineMeeting: event.joinUrl === null ? null : { joinUrl: event.joinUrl },
  };
};

const originalStart = ({ event, day = 0 }: Instance): number => {
  const timeOfDay = event.start.wall - Math.floor(event.start.wall / 86_400_000) * 86_400_000;
  return instantOfMoment({ wall: day * 86_400_000 + timeOfDay, zone: event.start.zone }, event.isAllDay);
};
