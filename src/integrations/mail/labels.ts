import { z } from 'zod';
import { path, type Upstream } from '#kit';
import { below, prefer } from './wire.ts';

export const Label = z.object({ id: z.string(), name: z.string(), color: z.string().optional() });

const Category = z.object({ id: z.string(), displayName: z.string(), color: z.string().nullish() });
const List = z.object({ value: z.array(Category) });

/** The labels that a mailbox offers. They live in its settings, not among its mail. */
export const readLabels = async (
  upstream: Upstream,
  mailbox: string | undefined,
): Promise<z.output<typeof Label>[]> => {
  const list = below(mailbox, path`/outlook/masterCategories`);
  const { value } = List.parse(await upstream.get(list, { headers: prefer() }));
  return value.map(({ id, displayName, color }) => ({ id, name: displayName, color: color ?? 'none' }));
};
