import { z } from 'zod';
import { whereDifferent } from '#kit';
import { cut } from './cards.ts';
import type { Card } from './shapes.ts';

export const Change = z.object({ field: z.string(), from: z.unknown(), to: z.unknown() });

type CardNow = z.output<typeof Card> & { idLabels?: readonly string[]; dueReminder?: number | null | undefined };

const watched = [
  'name',
  'desc',
  'idList',
  'idBoard',
  'closed',
  'due',
  'start',
  'dueComplete',
  'dueReminder',
  'pos',
] as const;
const longest = 200;

const shown = (value: unknown): unknown => (typeof value === 'string' ? cut(value, longest) : (value ?? null));

const same = (field: string, a: unknown, b: unknown): boolean => {
  if ((a ?? null) === (b ?? null)) return true;
  const dates = field === 'due' || field === 'start';
  return dates && typeof a === 'string' && typeof b === 'string' && Date.parse(a) === Date.parse(b);
};

const idsOf = (card: CardNow) => ({
  labels: [...(card.idLabels ?? card.labels.map(({ id }) => id))].sort(),
  members: [...card.idMembers].sort(),
});

/** What is different between two readings of a card. */
export const changesBetween = (before: CardNow, after: CardNow): z.output<typeof Change>[] => {
  const plain = watched
    .filter((field) => !same(field, before[field], after[field]))
    .map((field) => {
      const [from, to] = whereDifferent(before[field], after[field], longest).map(shown);
      return { field, from, to };
    });
  const [was, is] = [idsOf(before), idsOf(after)];
  const sets = (['labels', 'members'] as const)
    .filter((field) => was[field].join() !== is[field].join())
    .map((field) => ({ field, from: was[field], to: is[field] }));
  return [...plain, ...sets];
};
