import { itemNotFound } from '../graph-error.ts';
import { assertId, changeKey, etag, newFolderId, readId } from '../ids.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import type { World } from '../world.ts';
import type { CalendarInfo } from './state.ts';

export const addCalendar = (mailbox: Mailbox, name: string, color = 'auto'): CalendarInfo => {
  const calendar = {
    id: newFolderId(mailbox),
    name,
    color,
    isDefault: mailbox.calendar.calendars.size === 0,
    version: 1,
  };
  mailbox.calendar.calendars.set(calendar.id, calendar);
  return calendar;
};

export const defaultCalendar = (mailbox: Mailbox): CalendarInfo => {
  for (const calendar of mailbox.calendar.calendars.values()) return calendar;
  return addCalendar(mailbox, 'Calendar');
};

export const findCalendar = (mailbox: Mailbox, id: string | undefined): CalendarInfo => {
  const fallback = defaultCalendar(mailbox);
  if (id === undefined) return fallback;
  const calendar = mailbox.calendar.calendars.get(assertId(id));
  if (calendar === undefined) throw itemNotFound();
  return calendar;
};

export const renderCalendar = (world: World, mailbox: Mailbox, calendar: CalendarInfo): Json => {
  const owner = world.people.get(mailbox.owner);
  const provider = owner?.kind === 'work' ? 'teamsForBusiness' : 'unknown';
  const key = changeKey(readId(calendar.id).seq, calendar.version);
  return {
    '@odata.etag': etag(key),
    id: calendar.id,
    name: calendar.name,
    color: calendar.color,
    hexColor: '',
    isDefaultCalendar: calendar.isDefault,
    changeKey: key,
    canShare: true,
    canViewPrivateItems: true,
    canEdit: true,
    isTallyingResponses: calendar.isDefault,
    isRemovable: !calendar.isDefault,
    allowedOnlineMeetingProviders: provider === 'unknown' ? [] : [provider],
    defaultOnlineMeetingProvider: provider,
    owner: { name: owner?.displayName ?? '', address: owner?.address ?? '' },
  };
};
