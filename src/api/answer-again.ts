import { createMiddleware } from 'hono/factory';
import { Fault } from '#kit';
import type { Idempotency } from '#workspaces';
import type { Env } from './env.ts';

// A run is itself the record of its request, and remembers more than an answer.
const remembersItself = /^\/v1\/(?:(?:steps|tools)\/[^/]+\/run|agents\/[^/]+\/runs)$/;

export const idempotencyKey = (header: string | undefined): string | undefined => {
  if (header === undefined || /^[\x20-\x7e]{1,200}$/.test(header)) return header;
  throw new Fault('invalid_input', 'Idempotency-Key must be 1 to 200 printable characters.');
};

/** Answers a repeated keyed write with the first answer instead of doing it again. */
export const answerAgain = (idempotency: Idempotency) =>
  createMiddleware<Env>(async (c, next) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const { caller } = c.var;
    const { method, path } = c.req;
    if (key === undefined || caller === undefined || method === 'GET' || remembersItself.test(path)) return next();
    const request = { workspaceId: caller.workspaceId, caller: caller.actor.id, key, method, path, body: c.var.body };
    const earlier = await idempotency.begin(request);
    if (earlier !== undefined) {
      const headers = { 'content-type': 'application/json', 'idempotent-replayed': 'true' };
      return new Response(earlier.body === '' ? null : earlier.body, { status: earlier.status, headers });
    }
    await next();
    // Refusals leave nothing behind, so the corrected request may use the key again.
    if (c.res.status >= 400) await idempotency.release(request);
    else await idempotency.finish(request, { status: c.res.status, body: await c.res.clone().text() });
  });
