import { badRequest, GraphError } from '../graph-error.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { linkWith, openToken, sealToken } from '../odata/index.ts';
import type { GraphRequest } from '../route.ts';
import { type Instance, instanceId, instancesWithin } from './instances.ts';
import type { EventItem } from './state.ts';
import { longestWindow, readWindow } from './window.ts';

/** What a token carries: the window and calendar, frozen; which changes were seen; how far this round has come. */
type Round = { from: number; to: number; calendarId: string; since: number; until: number; after: string };

const farthest = Date.UTC(4500, 0);
const unsupported = ['$select', '$filter', '$orderby', '$expand', '$search'];

const resume = (token: string, mailbox: Mailbox, fresh: boolean): Round => {
  const { from, to, calendarId, since, until, after } = openToken(token);
  const numbers = [from, to, since, until];
  if (
    !numbers.every((value) => typeof value === 'number') ||
    typeof calendarId !== 'string' ||
    typeof after !== 'string'
  ) {
    throw badRequest('Badly formed token.');
  }
  const round = { from, to, calendarId, since, until, after } as Round;
  if (
    !numbers.every(Number.isSafeInteger) ||
    Math.abs(round.from) > farthest ||
    round.to - round.from > longestWindow
  ) {
    throw badRequest('Badly formed token.');
  }
  if (round.since > mailbox.calendar.clock || round.since < mailbox.calendar.forgotten) {
    throw new GraphError(
      410,
      'SyncStateNotFound',
      'The sync state generation is not found; it may have expired. Start again with a full synchronization.',
    );
  }
  return fresh ? { ...round, since: round.until, until: mailbox.calendar.clock, after: '' } : round;
};

const start = (request: GraphRequest, calendarId: string): Round => {
  const { from, to } = readWindow(request.query);
  return { from, to, calendarId, since: 0, until: request.mailbox.calendar.clock, after: '' };
};

/** What changed since, by id, so that a page can be resumed after the last id seen. */
const changesOf = (mailbox: Mailbox, round: Round): { id: string; one: Instance | undefined }[] => {
  const { calendar } = mailbox;
  const inView = (event: EventItem): Instance[] =>
    event.calendarId === round.calendarId ? instancesWithin(event, round.from, round.to) : [];
  const found = new Map<string, Instance | undefined>();
  if (round.since > 0) {
    for (const { at, event } of calendar.former) {
      if (at > round.since) for (const one of inView(event)) found.set(instanceId(mailbox, one), undefined);
    }
  }
  for (const event of calendar.events.values()) {
    if (event.changedAt > round.since) for (const one of inView(event)) found.set(instanceId(mailbox, one), one);
  }
  return [...found].map(([id, one]) => ({ id, one })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
};

/** One page of calendarView/delta: a nextLink until the round is over, then a deltaLink, never both. */
export const calendarDelta = (request: GraphRequest, calendarId: string, render: (one: Instance) => Json): Json => {
  const { mailbox, query, prefer } = request;
  const options = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  const bad = unsupported.filter((name) => options.has(name));
  if (bad.length > 0) {
    throw new GraphError(
      400,
      'ErrorInvalidUrlQuery',
      `The following parameters are not supported with change tracking over the 'CalendarView' resource: '${unsupported.join(', ')}'.`,
    );
  }
  const [deltatoken, skiptoken] = [options.get('$deltatoken'), options.get('$skiptoken')];
  const token = deltatoken ?? skiptoken;
  const round = token === undefined ? start(request, calendarId) : resume(token, mailbox, deltatoken !== undefined);
  const left = changesOf(mailbox, round).filter(({ id }) => id > round.after);
  const page = left.slice(0, Math.min(prefer.maxPageSize ?? 50, 1000));
  const last = page.at(-1);
  const frozen = Object.fromEntries(
    ['startDateTime', 'endDateTime', '$deltatoken', '$skiptoken', '$top'].map((name) => [name, undefined]),
  );
  const more = left.length > page.length && last !== undefined;
  const link = more
    ? { '@odata.nextLink': linkWith(request, { ...frozen, $skiptoken: sealToken({ ...round, after: last.id }) }) }
    : { '@odata.deltaLink': linkWith(request, { ...frozen, $deltatoken: sealToken({ ...round, after: '' }) }) };
  return {
    value: page.map(({ id, one }) =>
      one === undefined
        ? { '@odata.type': '#microsoft.graph.event', id, '@removed': { reason: 'deleted' } }
        : render(one),
    ),
    ...link,
  };
};
