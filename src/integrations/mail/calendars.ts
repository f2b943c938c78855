import { z } from 'zod';
import { Fault, type Path, path, type StepContext, sameName, wrong } from '#kit';
import { wholeList } from './collect.ts';
import { needsZone, type TimeInput } from './times.ts';
import { toldText } from './told.ts';
import { below, prefer, root } from './wire.ts';
import { findZone, utcZone, type Zone, zoneNamed } from './zones.ts';

export const CalendarInput = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .optional()
  .describe('Calendar, by id or exact name; the default calendar if left out.')
  .meta({ picker: 'calendars' });

const Calendar = z.object({ id: z.string(), name: toldText });

export const calendarsOf = (
  { upstream }: Pick<StepContext, 'upstream'>,
  mailbox: string | undefined,
): Promise<z.output<typeof Calendar>[]> =>
  wholeList(upstream, below(mailbox, path`/calendars`), { $select: 'id,name', $top: 200 }, Calendar);

// Ids are long and have no blanks; names hardly ever look like that.
const looksLikeId = /^[\w=+/-]{50,}$/;

/** The path of a calendar: the default one, or one by id or exact name. */
export const calendarPath = async (
  { upstream }: Pick<StepContext, 'upstream'>,
  mailbox: string | undefined,
  calendar: string | undefined,
): Promise<Path> => {
  if (calendar === undefined) return root(mailbox);
  if (looksLikeId.test(calendar)) return below(mailbox, path`/calendars/${calendar}`);
  const value = await calendarsOf({ upstream }, mailbox);
  const found = value.filter(({ id, name }) => id === calendar || sameName(name, calendar));
  const [only] = found;
  if (only !== undefined && found.length === 1) return below(mailbox, path`/calendars/${only.id}`);
  const candidates = found.length > 1 ? found : value;
  const names = candidates.map(({ name }) => `"${name}"`).join(', ');
  throw wrong(
    'calendar',
    found.length > 1
      ? `Several calendars are called "${calendar}"; use the id of one.`
      : `There is no calendar "${calendar}"; there are ${names}.`,
    { candidates },
  );
};

/** A path below a calendar. Both parts come from `path`, so every value still fills one segment. */
export const under = (calendar: Path, rest: Path): Path => `${calendar}${rest}` as Path;

/** An event cannot be moved: it is changed in the calendar it is in, or not at all. */
export const refuseOtherCalendar = async (
  context: Pick<StepContext, 'upstream'>,
  mailbox: string | undefined,
  event: { id: string },
  calendar: string | undefined,
): Promise<void> => {
  if (calendar === undefined) return;
  const place = under(await calendarPath(context, mailbox, calendar), path`/events/${event.id}`);
  const { status } = await context.upstream.request({
    method: 'GET',
    path: place,
    query: { $select: 'id' },
    headers: prefer(),
  });
  if (status === 404) {
    throw wrong('calendar', 'The event is in another calendar, and the service moves none between calendars.');
  }
};

const Setting = z.object({ value: z.string().nullish() });

const has = (scopes: readonly string[], wanted: string): boolean =>
  scopes.some((scope) => scope.toLowerCase().startsWith(wanted.toLowerCase()));

/** The zone that the account's owner chose for the mailbox, if it may be read and is one we know. */
const mailboxZone = async ({
  upstream,
  account,
}: Pick<StepContext, 'upstream' | 'account'>): Promise<Zone | undefined> => {
  if (!has(account.scopes, 'MailboxSettings.Read')) return undefined;
  try {
    const { value } = Setting.parse(await upstream.get(path`/me/mailboxSettings/timeZone`));
    const zone = findZone(value ?? '');
    return zone === undefined ? undefined : { ...zone, name: zone.iana };
  } catch (error) {
    if (error instanceof Fault && ['not_found', 'upstream_rejected'].includes(error.code)) return undefined;
    throw error;
  }
};

export type Zones = { asked: Zone | undefined; home: Zone };

const ownZone = (time: TimeInput): string | undefined => (typeof time === 'string' ? undefined : time.timeZone);

/** In which zones a call's times are meant and answered: the one it names, that of its first time, the mailbox's, or UTC. */
export const zonesOf = async (
  context: Pick<StepContext, 'upstream' | 'account'>,
  timeZone: string | undefined,
  times: readonly TimeInput[] = [],
): Promise<Zones> => {
  if (timeZone !== undefined) {
    const asked = zoneNamed(timeZone);
    return { asked, home: asked };
  }
  const first = times[0] === undefined ? undefined : ownZone(times[0]);
  const named = first === undefined ? undefined : findZone(first);
  if (named !== undefined) return { asked: undefined, home: named };
  const home = await mailboxZone(context);
  if (home !== undefined) return { asked: undefined, home };
  if (times.some(needsZone)) {
    throw wrong('timeZone', 'The zone of this mailbox is not known; say which timeZone the times are in.');
  }
  return { asked: undefined, home: utcZone };
};
