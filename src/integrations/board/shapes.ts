import { z } from 'zod';

const id = z.string().regex(/^[0-9a-f]{24}$/, 'must be an id of 24 hexadecimal digits');

export const BoardId = id.meta({ picker: 'boards' });
export const ListId = id.meta({ picker: 'lists' });
export const LabelId = id.meta({ picker: 'labels' });

/** Something named, as deliveries mention it. */
export const Ref = z.object({ id: z.string(), name: z.string().optional() });

export const Label = z.object({ id: z.string(), name: z.string(), color: z.string().nullable() });

/** A card as steps and triggers show it: enough to act on, small enough for a model. */
export const Card = z.object({
  id: z.string(),
  shortLink: z.string(),
  name: z.string(),
  url: z.string(),
  desc: z.string(),
  idList: z.string(),
  idBoard: z.string(),
  closed: z.boolean(),
  due: z.string().nullable(),
  dueComplete: z.boolean(),
  start: z.string().nullish(),
  labels: z.array(Label),
  idMembers: z.array(z.string()),
  pos: z.number(),
  dateLastActivity: z.string().nullable(),
});

/** An empty choice admits everything. */
export const admits = (chosen: readonly string[], { id: given }: { id: string }): boolean =>
  chosen.length === 0 || chosen.includes(given);

const duration = /^P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?)?$/;

/** A lead time such as PT15M, PT1H, P1D or P1W. */
export const LeadTime = z.string().regex(duration, 'must be an ISO 8601 duration such as PT15M, PT1H, P1D or P1W');

const units = [7 * 24 * 60, 24 * 60, 60, 1];

export const milliseconds = (leadTime: string): number => {
  const [, ...parts] = duration.exec(leadTime) ?? [];
  return units.reduce((sum, unit, index) => sum + Number(parts[index] ?? 0) * unit, 0) * 60_000;
};

/** When an object was made: the service's ids begin with it. */
export const madeAt = (objectId: string): Date => new Date(Number.parseInt(objectId.slice(0, 8), 16) * 1000);
