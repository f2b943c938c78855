import { z } from 'zod';
import { path, type Upstream } from '#kit';
import { wholeList } from './collect.ts';
import { toldText } from './told.ts';
import { below } from './wire.ts';

export const Label = z.object({ id: z.string(), name: z.string(), color: z.string().optional() });

const Category = z.object({ id: z.string(), displayName: toldText, color: z.string().nullish() });

/** The labels that a mailbox offers. They live in its settings, not among its mail. */
export const readLabels = async (
  upstream: Upstream,
  mailbox: string | undefined,
): Promise<z.output<typeof Label>[]> => {
  const list = below(mailbox, path`/outlook/masterCategories`);
  const offered = await wholeList(upstream, list, {}, Category);
  return offered.map(({ id, displayName, color }) => ({ id, name: displayName, color: color ?? 'none' }));
};
