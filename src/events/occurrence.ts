import { z } from 'zod';
import type { Occurrence } from '#kit';

const Stored = z.object({
  key: z.string(),
  upstreamId: z.string().optional(),
  order: z.string(),
  subject: z.string().nullable(),
  at: z.coerce.date(),
  body: z.unknown(),
});

/** An occurrence as it was stored. */
export const occurrenceFrom = (stored: unknown): Occurrence => Stored.parse(stored);
