import { z } from 'zod';

/* Of most that the service tells it may also tell null. Where nothing can be made of that, it is what is usual. */

export const toldText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** Where the next page is; none after the last. */
export const toldLink = z
  .string()
  .nullish()
  .transform((link) => link ?? undefined);

export const toldFlag = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? false);

export const toldTexts = z
  .array(z.string().nullable())
  .nullish()
  .transform((texts) => (texts ?? []).filter((text) => text !== null));

/** When something was; where it never was, the service may tell the first of all days. */
export const toldInstant = (text: string | null | undefined): number | undefined => {
  const instant = Date.parse(text ?? '');
  return Number.isNaN(instant) || text?.startsWith('0001-01-01') ? undefined : instant;
};

/** A local time and its zone; none is UTC, in which the service tells times unasked. */
export const ToldTime = z.object({
  dateTime: z.string(),
  timeZone: z
    .string()
    .nullish()
    .transform((zone) => zone ?? 'UTC'),
});
