import { type Context, Hono } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import type { Intake } from '#events';
import { Fault } from '#kit';
import { bodyOf, readBytes, refuseLarge } from '../body-limits.ts';
import type { Env } from '../env.ts';

const maxBytes = 1_000_000;

/** The doors for notifications: their bytes are read as they came, and nothing is parsed before it is verified. */
export const hookRoutes = (intake: Intake) => {
  const answer = async (c: Context<Env>, method: 'HEAD' | 'GET' | 'POST') => {
    refuseLarge(c, maxBytes);
    const bytes = method === 'POST' ? await readBytes(bodyOf(c), maxBytes) : new Uint8Array();
    const { status, body } = await intake(c.req.param('integration') ?? '', c.req.param('watch') ?? '', {
      method,
      headers: c.req.header(),
      query: new URL(c.req.url).searchParams,
      bytes,
    });
    // Plain text, so that a token we repeat is never read as a page.
    return c.newResponse(body ?? null, status as StatusCode, { 'content-type': 'text/plain; charset=utf-8' });
  };
  return new Hono<Env>()
    .get('/hooks/:integration/:watch', (c) => answer(c, c.req.method === 'HEAD' ? 'HEAD' : 'GET'))
    .post('/hooks/:integration/:watch', (c) => answer(c, 'POST'))
    .all('/hooks/:integration/:watch', () => {
      throw new Fault('method_not_allowed', 'Notifications are posted.');
    });
};
