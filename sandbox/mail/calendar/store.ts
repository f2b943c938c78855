import { changeKey, etag, immutableId } from '../ids.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import type { World } from '../world.ts';
import { instanceId, wholeEvent } from './instances.ts';
import { everydayView, renderEvent } from './render.ts';
import type { EventItem } from './state.ts';

const remembered = 2000;

/** Keeps what an event was, so that delta can tell which of its instances are gone. */
export const remember = (mailbox: Mailbox, event: EventItem): void => {
  const { former, clock } = mailbox.calendar;
  const was = { ...event, exceptions: new Map(event.exceptions), cancelledDays: [...event.cancelledDays] };
  former.push({ at: clock + 1, event: was });
  if (former.length <= remembered) return;
  for (const { at } of former.splice(0, remembered / 2)) mailbox.calendar.forgotten = at;
};

const seen = (mailbox: Mailbox, event: EventItem): Json => renderEvent(mailbox, wholeEvent(event), everydayView);

const announce = (
  world: World,
  mailbox: Mailbox,
  event: EventItem,
  change: 'created' | 'updated' | 'deleted',
  before?: Json,
): void => {
  const one = wholeEvent(event);
  world.announce({
    mailbox,
    kind: 'event',
    change,
    id: instanceId(mailbox, one),
    immutableId: immutableId(mailbox, event),
    etag: etag(changeKey(event.seq, event.version)),
    folderId: event.calendarId,
    entity: change === 'deleted' ? undefined : seen(mailbox, event),
    before,
  });
};

export const addEvent = (world: World, mailbox: Mailbox, event: EventItem): void => {
  const { calendar } = mailbox;
  event.changedAt = ++calendar.clock;
  calendar.events.set(event.seq, event);
  calendar.byUid.set(event.iCalUId, event.seq);
  if (event.transactionId !== null) calendar.byTransaction.set(event.transactionId, event.seq);
  announce(world, mailbox, event, 'created');
};

/** Changes an event in place: a new change key, a line for delta, a notification. */
export const changeEvent = (
  world: World,
  mailbox: Mailbox,
  event: EventItem,
  change: (event: EventItem) => void,
): void => {
  remember(mailbox, event);
  const before = seen(mailbox, event);
  change(event);
  event.version++;
  event.modified = world.now();
  event.changedAt = ++mailbox.calendar.clock;
  announce(world, mailbox, event, 'updated', before);
};

export const removeEvent = (world: World, mailbox: Mailbox, event: EventItem): void => {
  const { calendar } = mailbox;
  remember(mailbox, event);
  calendar.clock++;
  calendar.events.delete(event.seq);
  if (calendar.byUid.get(event.iCalUId) === event.seq) calendar.byUid.delete(event.iCalUId);
  if (event.transactionId !== null) calendar.byTransaction.delete(event.transactionId);
  announce(world, mailbox, event, 'deleted', seen(mailbox, event));
};

/** The same meeting in another calendar. */
export const copyOf = (mailbox: Mailbox, uid: string): EventItem | undefined => {
  const seq = mailbox.calendar.byUid.get(uid);
  return seq === undefined ? undefined : mailbox.calendar.events.get(seq);
};
