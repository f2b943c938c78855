import type { Context } from 'hono';
import type { Env } from './env.ts';

/** The fields of a form. One that cannot be read has none, so that whoever sent it is told what is missing. */
export const formFields = async (c: Context<Env>): Promise<Record<string, unknown>> => {
  try {
    return await c.req.parseBody();
  } catch (error) {
    // What the platform throws at a broken form; a body that is too large has an error of its own.
    if (error instanceof TypeError) return {};
    throw error;
  }
};
