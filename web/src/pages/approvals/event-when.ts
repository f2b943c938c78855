export type Fields = Record<string, unknown>;

/** Names are read as the service reads them, in any letter case: none stands there twice. */
const entryOf = (value: unknown, name: string): [string, unknown] | undefined =>
  Object.entries(value ?? {}).find(([each]) => each.toLowerCase() === name);

export const fieldOf = (value: unknown, name: string): unknown => entryOf(value, name)?.[1];

const weekdays = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** A wrong date is seen by its day of the week. */
export const weekdayOf = (at: string): string => {
  const day = new Date(`${at.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? '' : `${weekdays.format(day)}, `;
};

const timeOf = (value: unknown): string | undefined => {
  const at = fieldOf(value, 'datetime');
  return typeof at === 'string' ? at : undefined;
};

const momentOf = (value: unknown): string | undefined => {
  const at = timeOf(value);
  if (at === undefined) return undefined;
  const zone = fieldOf(value, 'timezone');
  return `${weekdayOf(at)}${at.replace('T', ' ').replace(/:00(?:\.0+)?$/, '')}${typeof zone === 'string' ? ` (${zone})` : ''}`;
};

/** What it says itself, be it nothing, or what stays as it is of an event that is there. */
export const now = (fields: Fields, name: string): unknown =>
  (entryOf(fields, name) ?? entryOf(fieldOf(fields, 'event'), name))?.[1];

const nameOfPlace = (value: unknown): unknown => (typeof value === 'string' ? value : fieldOf(value, 'displayname'));

export const placeOf = (fields: Fields): string | undefined => {
  const name = nameOfPlace(now(fields, 'location'));
  return typeof name === 'string' && name !== '' ? name : undefined;
};

const dayMs = 86_400_000;

const midnightOf = (value: unknown): number | undefined => {
  const [, day] = /^(\d{4}-\d\d-\d\d)T00:00(?::00(?:\.0+)?)?$/.exec(timeOf(value) ?? '') ?? [];
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
};

const dayText = (at: number): string => {
  const day = new Date(at).toISOString().slice(0, 10);
  return `${weekdayOf(day)}${day}`;
};

/** First and last day of an event of whole days: the service is told the midnight after the last one. */
const daysOf = (fields: Fields): [first: number, last: number] | undefined => {
  const [from, to] = [midnightOf(now(fields, 'start')), midnightOf(now(fields, 'end'))];
  const isWhole = now(fields, 'isallday') === true;
  return isWhole && from !== undefined && to !== undefined && to > from ? [from, to - dayMs] : undefined;
};

type Line = readonly [label: string, text: string];

/** When an invitation is for, line by line. */
export const whenOf = (fields: Fields): Line[] => {
  const days = daysOf(fields);
  if (days !== undefined) {
    const [first, last] = days;
    return first === last
      ? [['On', `${dayText(first)}, the whole day`]]
      : [
          ['First day', dayText(first)],
          ['Last day', dayText(last)],
        ];
  }
  return (['start', 'end'] as const).flatMap((name): Line[] => {
    const moment = momentOf(now(fields, name));
    return moment === undefined ? [] : [[name === 'start' ? 'Begins' : 'Ends', moment]];
  });
};

const isShown = (name: string, fields: Fields): boolean => {
  if (name === 'start' || name === 'end') return momentOf(fieldOf(fields, name)) !== undefined;
  if (name === 'isallday') return daysOf(fields) !== undefined;
  return name === 'location' && placeOf(fields) !== undefined;
};

/** What the view has no place of its own for. */
export const otherFields = (kind: string, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== undefined && !(kind === 'event' && isShown(name.toLowerCase(), fields)),
    ),
  );
