import { z } from 'zod';
import { Fault, path, type StepContext } from '#kit';
import { WireEvent } from './event-shapes.ts';
import { below, prefer } from './wire.ts';

export const EventId = z.string().min(1).max(1_000).describe('Id of the event, from list_events or create_event.');

export const Scope = z
  .enum(['this', 'series'])
  .optional()
  .describe('Of a recurring event: this occurrence, or the whole series. Left out, exactly what the id names.');

type Reading = Pick<StepContext, 'upstream'>;

/** An event, with its body as the service keeps it. */
export const readEvent = async ({ upstream }: Reading, mailbox: string | undefined, id: string): Promise<WireEvent> =>
  WireEvent.parse(await upstream.get(below(mailbox, path`/events/${id}`), { headers: prefer() }));

/** The event that is meant: an occurrence stands for its series if the caller says so. */
export const meantEvent = async (
  context: Reading,
  mailbox: string | undefined,
  id: string,
  scope: 'this' | 'series' | undefined,
): Promise<WireEvent> => {
  const event = await readEvent(context, mailbox, id);
  if (scope === 'this' && event.type === 'seriesMaster') {
    throw new Fault(
      'invalid_input',
      'This id names a whole series; use the id of one occurrence (from list_events), or scope "series".',
    );
  }
  const isPart = event.type === 'occurrence' || event.type === 'exception';
  return scope === 'series' && isPart && event.seriesMasterId
    ? readEvent(context, mailbox, event.seriesMasterId)
    : event;
};

/** Whether people other than the owner hear of what is done to this event. */
export const tellsOthers = ({ isOrganizer, attendees }: WireEvent): boolean => isOrganizer && attendees.length > 0;
