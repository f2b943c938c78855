import { z } from 'zod';
import { type FindContext, path, type StepContext, type Verdict, wrong } from '#kit';
import { idBegun } from './begun.ts';
import { WireEvent } from './event-shapes.ts';
import { unlessGone } from './marker.ts';
import { below, madeBy, prefer } from './wire.ts';

/** The id inside the web address of an event: one that the service tells, or one of its web calendar. */
const eventKey = (given: string): string => {
  if (!/^https?:\/\//i.test(given)) return given;
  // A plus in an id may stand there as it is.
  const url = URL.parse(given.replaceAll('+', '%2B'));
  const parameters = [...(url?.searchParams ?? [])];
  const named = parameters.find(([name]) => name.toLowerCase() === 'itemid')?.[1];
  const [, last] = /\/calendar\/item\/([^/]+)/.exec(url?.pathname ?? '') ?? [];
  // Reading the address as a query decodes it, and forgives broken escapes.
  const id = named ?? (last === undefined ? null : new URLSearchParams(`id=${last}`).get('id'));
  return id ?? refuseAddress();
};

const refuseAddress = (): never => {
  throw wrong('eventId', 'This web address names no event; use its id.');
};

export const EventId = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .describe('Event, by its id (from list_events or create_event) or its web address.');

export const Scope = z
  .enum(['this', 'series'])
  .optional()
  .describe('Of a recurring event: this occurrence, or the whole series. Left out, exactly what the id names.');

type Reading = Pick<StepContext, 'upstream'>;

/** An event, with its body as the service keeps it. */
export const readEvent = async ({ upstream }: Reading, mailbox: string | undefined, id: string): Promise<WireEvent> =>
  WireEvent.parse(await upstream.get(below(mailbox, path`/events/${id}`), { headers: prefer() }));

/** The event that a run goes on with where it is gone, by its own earlier doing. */
export const keyOfGone = (context: Pick<StepContext, 'begun'>, given: string): string =>
  idBegun(context, 'events') ?? eventKey(given);

/** The event that is meant, and the one that the id names: an occurrence stands for its series if the caller says so. */
export const meantAndNamed = async (
  context: Reading & Pick<StepContext, 'begun'>,
  mailbox: string | undefined,
  id: string,
  scope: 'this' | 'series' | undefined,
): Promise<{ meant: WireEvent; named: WireEvent }> => {
  const begun = idBegun(context, 'events');
  if (begun !== undefined) {
    const meant = await readEvent(context, mailbox, begun);
    return { meant, named: meant };
  }
  const event = await readEvent(context, mailbox, eventKey(id));
  if (scope === 'this' && event.type === 'seriesMaster') {
    throw wrong(
      ['eventId', 'scope'],
      'This id names a whole series; use the id of one occurrence (from list_events), or scope "series".',
    );
  }
  const isPart = event.type === 'occurrence' || event.type === 'exception';
  const series = scope === 'series' && isPart ? event.seriesMasterId : undefined;
  return { meant: series ? await readEvent(context, mailbox, series) : event, named: event };
};

export const meantEvent = async (...asked: Parameters<typeof meantAndNamed>): Promise<WireEvent> =>
  (await meantAndNamed(...asked)).meant;

/** Whether people other than the owner hear of what is done to this event. */
export const tellsOthers = ({ isOrganizer, attendees }: WireEvent): boolean => isOrganizer && attendees.length > 0;

/** Whether an event is gone that an uncertain request was to remove. An answer that is no event does not show it there. */
export const findGone = async ({ upstream, request, mark }: FindContext): Promise<Verdict> => {
  const place = request.path.replace(/\/cancel$/, '') as typeof request.path;
  const read = upstream.get(place, { headers: prefer() }).then((event) => WireEvent.parse(event));
  const left = await unlessGone(read);
  return { made: left === undefined ? [madeBy({}, place, mark(1))] : [] };
};
