import { z } from '@hono/zod-openapi';

/** For what several people may change at once. */
export const ChangeOf = z.int().min(1).optional().openapi({
  description: 'The version that this change is of. Refused with 409 and the present one if it is another.',
});

/** A version alone says only of what it would be a change. */
export const saysMoreThanVersion = (change: object): boolean =>
  Object.entries(change).some(([name, value]) => name !== 'version' && value !== undefined);
