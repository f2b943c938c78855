import { z } from '@hono/zod-openapi';

export const Time = z.date().openapi({ type: 'string', format: 'date-time' });

// Not `.nullable()`: the description given by hand above would not admit null.
export const TimeOrNull = z.union([Time, z.null()]);
