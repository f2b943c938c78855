import { z } from 'zod';

/** The id of an end user, as an embedding platform calls them. Blanks left out would make one user of two that it tells apart. */
export const endUserIdShape = () =>
  z
    .string()
    .min(1)
    .max(200)
    .regex(/^\S(?:[^]*\S)?$/, 'must not begin or end with a blank');
