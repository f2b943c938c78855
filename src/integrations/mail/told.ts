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

/** A local time and its zone; none is UTC, in which the service tells times unasked. */
export const ToldTime = z.object({
  dateTime: z.string(),
  timeZone: z
    .string()
    .nullish()
    .transform((zone) => zone ?? 'UTC'),
});
