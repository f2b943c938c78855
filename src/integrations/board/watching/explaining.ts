import { z } from 'zod';
import type { OwnWrite } from '#kit';
import type { Action } from './occurrence.ts';

export type Data = Action['data'];
export type Asked = {
  action: Pick<Action, 'id' | 'type' | 'data' | 'idMemberCreator'> & { told?: 'state' | undefined };
  data: Data;
  write: OwnWrite;
  sent: Record<string, unknown>;
  /** Without a slash at its end. */
  path: string;
};

/** Whether a write explains an action. */
export type Explains = (asked: Asked) => boolean;

export const Fields = z.record(z.string(), z.unknown());
const Thing = z.object({ id: z.string(), shortLink: z.string().optional(), name: z.string().optional() });
export const thing = (data: Data, name: string) => Thing.safeParse(data[name]).data;

/** The names under which an address can mean it. */
export const namesOf = (data: Data, name: string): string[] => {
  const found = thing(data, name);
  return found === undefined ? [] : [found.id, ...(found.shortLink === undefined ? [] : [found.shortLink])];
};

export const places = (data: Data, template: string): string[] =>
  template.split('/').reduce<string[]>(
    (paths, part) => {
      const names = part.startsWith(':') ? namesOf(data, part.slice(1)) : [part];
      return paths.flatMap((path) => names.map((name) => `${path}/${name}`));
    },
    ['/1'],
  );

/** A request to one of these addresses; `:card` stands for the card of the action, by whichever of its names. */
export const at =
  (method: string, ...templates: string[]): Explains =>
  ({ write, path, data }) =>
    write.method === method && templates.some((template) => places(data, template).includes(path));

export const any =
  (...all: Explains[]): Explains =>
  (asked) =>
    all.some((each) => each(asked));
export const both =
  (...all: Explains[]): Explains =>
  (asked) =>
    all.every((each) => each(asked));

/** What was made is known by its id; while that is not known, by what was asked for. */
export const made =
  (idOf: (asked: Asked) => string | undefined, looksAlike: (asked: Asked) => boolean): Explains =>
  (asked) =>
    asked.write.upstreamId === null ? looksAlike(asked) : asked.write.upstreamId === idOf(asked);

export const partId =
  (name: string) =>
  ({ data }: Asked): string | undefined =>
    thing(data, name)?.id;

export const text = (value: unknown): string => {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
};

export const sameText = (a: unknown, b: unknown): boolean => text(a) === text(b);

export const sameName =
  (name: string): Explains =>
  ({ data, sent }) =>
    sent['name'] === undefined || sameText(sent['name'], thing(data, name)?.name);

export const sameValue = (field: string, told: unknown, wanted: unknown): boolean => {
  // Where `top` and `bottom` lead is told as a number.
  if (field === 'pos') return true;
  if (told === wanted) return true;
  // Cleared by whatever is no date.
  if (field === 'due' || field === 'start') return Object.is(Date.parse(text(told)), Date.parse(text(wanted)));
  const [now, parts] = [told, wanted].map((each) => Fields.safeParse(each).data);
  // Of a cover, only what changes is sent.
  if (now !== undefined && parts !== undefined) {
    return Object.entries(parts).every(([part, value]) => sameValue(part, now[part], value));
  }
  return typeof told !== 'object' && sameText(told, wanted);
};

/** One of the fields that the request sets, with the value that the action tells. */
export const setsField =
  (name: string): Explains =>
  ({ data, sent, path }) => {
    const now = Fields.safeParse(data[name]).data ?? {};
    const [field] = Object.keys(Fields.safeParse(data['old']).data ?? {});
    if (field === undefined) return false;
    const isAddressed = path.endsWith(`/${field}`);
    const wanted = isAddressed ? sent['value'] : sent[field];
    if (wanted === undefined) return isAddressed;
    // Of some fields no more is told than what they were.
    return !(field in now) || sameValue(field, now[field], wanted);
  };

/** A set that the request replaces, after which the part is or is not in it. */
export const setsMembership =
  (set: string, idOf: (asked: Asked) => string | undefined, wanted: boolean): Explains =>
  (asked) => {
    const { sent, path } = asked;
    const given = path.endsWith(`/${set}`) ? sent['value'] : sent[set];
    if (given === undefined) return false;
    const ids = Array.isArray(given) ? given.map(text) : text(given).split(',');
    return ids.includes(idOf(asked) ?? '') === wanted;
  };
