import { z } from 'zod';
import type { Path, Picker } from '#kit';
import { isId } from './lookups.ts';

/** The service answers a hundred calls in ten seconds, and as many in a quarter of an hour about people. */
const most = 20;

const Named = z
  .object({ name: z.string(), displayName: z.string(), fullName: z.string(), color: z.string().nullable() })
  .partial();

const nameIn = (body: unknown): string | undefined => {
  const { name, displayName, fullName, color } = Named.parse(body);
  const found = [displayName, fullName, name, color].find((each) => each !== undefined && each !== null && each !== '');
  return found ?? undefined;
};

/** Each is read by itself, so that what is archived or lies on a board that was not chosen is named, too. */
export const namedOneByOne =
  (placeOf: (id: string) => Path, fields: string): NonNullable<Picker['named']> =>
  async (values, _, { upstream }) => {
    const ids = values.filter(isId).slice(0, most);
    const read = await Promise.all(
      ids.map(async (id) => {
        // One that is gone, or may not be seen, keeps no other from its name.
        const body = await upstream.get(placeOf(id), { query: { fields } }).catch(() => undefined);
        const name = body === undefined ? undefined : nameIn(body);
        return name === undefined ? [] : [[id, name] as const];
      }),
    );
    return new Map(read.flat());
  };
