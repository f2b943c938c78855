import { accessDenied, GraphError } from '../graph-error.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { type GraphRequest, jsonBody } from '../route.ts';
import { pick, readInteger, readTexts } from '../values.ts';
import type { World } from '../world.ts';
import { byStart, type Instance, instancesWithin, instantOfMoment } from './instances.ts';
import { readMoment } from './read-event.ts';
import { viewZone } from './render.ts';
import { toDateTimeTimeZone, type Zone } from './zones.ts';

const dayMs = 86_400_000;
const invalid = (message: string): GraphError => new GraphError(400, 'ErrorInvalidParameter', message);

/** getSchedule and findMeetingTimes do not exist for personal accounts. */
export const workOnly = (request: GraphRequest): void => {
  if (request.session.person.kind !== 'work')
    throw accessDenied('This operation is not supported for personal accounts.');
};

export const busyBetween = (mailbox: Mailbox, from: number, to: number): Instance[] =>
  [...mailbox.calendar.events.values()]
    .filter(({ isDraft }) => !isDraft)
    .flatMap((event) => instancesWithin(event, from, to))
    .toSorted(byStart);

/** One character per slot; where events overlap the busier one wins. */
const weights: Record<string, number> = { free: 0, workingElsewhere: 0, unknown: 0, tentative: 1, busy: 2, oof: 3 };
export const availability = (busy: readonly Instance[], from: number, to: number): number =>
  Math.max(
    0,
    ...busy.filter(({ start, end }) => start < to && end > from).map(({ content }) => weights[content.showAs] ?? 0),
  );

const view = (busy: readonly Instance[], from: number, to: number, slot: number): string => {
  let text = '';
  for (let at = from; at < to; at += slot) text += availability(busy, at, Math.min(at + slot, to));
  return text;
};

const scheduleItem = ({ content, start, end }: Instance, zone: Zone, detailed: boolean): Json => {
  const isPrivate = content.sensitivity === 'private';
  return {
    ...(detailed && { isPrivate }),
    status: content.showAs,
    ...(detailed && { subject: content.subject, location: content.locations[0]?.displayName ?? '' }),
    start: toDateTimeTimeZone(start, zone),
    end: toDateTimeTimeZone(end, zone),
  };
};

/** The mailboxes that free/busy can see from here: the own organisation's. */
export const colleague = (
  world: World,
  asking: GraphRequest['session']['person'],
  address: string,
): Mailbox | undefined => {
  const person = world.person(address);
  if (person === undefined || person.tenantId !== asking.tenantId || !address.includes('@')) return undefined;
  return world.mailboxes.get(person.id);
};

export const getSchedule = (request: GraphRequest): Json => {
  workOnly(request);
  const body = jsonBody(request);
  const schedules = readTexts(pick(body, 'schedules'), 'schedules');
  const from = instantOfMoment(readMoment(pick(body, 'startTime'), 'startTime'), false);
  const to = instantOfMoment(readMoment(pick(body, 'endTime'), 'endTime'), false);
  const minutes = readInteger(pick(body, 'availabilityViewInterval') ?? 30, 'availabilityViewInterval');
  if (schedules.length === 0) throw invalid('At least one schedule is needed.');
  if (schedules.length > 20) throw invalid('The number of mailboxes exceeds the allowed limit of 20.');
  if (to <= from) throw invalid('The end of the time window must be after its start.');
  if (to - from >= 62 * dayMs) {
    const days = Math.ceil((to - from) / dayMs);
    throw invalid(
      `The requested time duration specified for FreeBusyViewOptions.TimeWindow is too long. The allowed limit = 62 days; the actual limit = ${days} days.`,
    );
  }
  if (minutes < 5 || minutes > 1440) throw invalid('availabilityViewInterval must be between 5 and 1440.');
  const zone = viewZone(request.prefer);
  return {
    '@odata.context': `${request.base}/$metadata#Collection(microsoft.graph.scheduleInformation)`,
    value: schedules.map((address) => oneSchedule(request, address, { from, to, slot: minutes * 60_000, zone })),
  };
};

type Wanted = { from: number; to: number; slot: number; zone: Zone };
const oneSchedule = (request: GraphRequest, address: string, { from, to, slot, zone }: Wanted): Json => {
  const { world, session } = request;
  const mailbox = colleague(world, session.person, address);
  if (mailbox === undefined) {
    return {
      scheduleId: address,
      availabilityView: '',
      scheduleItems: [],
      error: {
        message: `Unable to resolve e-mail address ${address} to an Active Directory object.`,
        responseCode: '5009',
      },
    };
  }
  const busy = busyBetween(mailbox, from, to);
  const whole = Math.min(slot, to - from);
  for (let at = from; at < to; at += whole) {
    const crowd = busy.filter(({ start, end }) => start < at + whole && end > at).length;
    if (crowd <= 1000) continue;
    const error = { message: 'The result set contains too many calendar entries.', responseCode: '5006' };
    return { scheduleId: address, availabilityView: '', scheduleItems: [], error };
  }
  const own = mailbox.owner === session.person.id || mailbox.delegates.get(session.person.id)?.fullAccess === true;
  return {
    scheduleId: address,
    availabilityView: view(busy, from, to, slot),
    scheduleItems: busy.map((one) => scheduleItem(one, zone, own)),
    workingHours: mailbox.settings.workingHours,
  };
};
