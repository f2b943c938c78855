import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { z } from 'zod';
import { SandboxClock } from './clock.ts';
import { Faults, pathExpression } from './faults.ts';
import { Outgoing } from './outgoing.ts';
import { RequestLog } from './request-log.ts';
import { said } from './said.ts';

export { redact } from './request-log.ts';

/** `user` is set by each server once it knows who asks; the request log shows it. */
export type SandboxEnv = { Bindings: HttpBindings; Variables: { user?: string } };
export type SandboxApp = Hono<SandboxEnv>;

/** What every stand-in has besides its routes: time, faults, the log of requests, outgoing notifications. */
export type Control = {
  clock: SandboxClock;
  faults: Faults;
  log: RequestLog;
  outgoing: Outgoing;
};

export const createControl = (): Control => {
  const clock = new SandboxClock();
  return { clock, faults: new Faults(), log: new RequestLog(), outgoing: new Outgoing(clock) };
};

/** The service's own words for a fault of this status. */
export type FaultBody = (status: number) => { body: string; contentType: string };

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2));

/** Logs every request but those to `/_control`, and lets faults strike. Mount before all routes. */
export const watchRequests = (app: SandboxApp, control: Control, faultBody: FaultBody): void => {
  app.use('*', async (c, next) => {
    const path = pathOf(c.req.url);
    if (path.startsWith('/_control')) return next();
    const started = performance.now();
    const at = control.clock.now();
    const fault = control.faults.strike(c.req.method, path);
    const log = (status: number) => {
      const ms = performance.now() - started;
      control.log.add({ at, method: c.req.method, path, status, user: c.get('user') ?? null, ms });
    };
    const fail = (status: number) => {
      const { body, contentType } = faultBody(status);
      const retryAfter = fault?.retryAfter === undefined ? {} : { 'Retry-After': String(fault.retryAfter) };
      answer(new Response(body, { status, headers: { 'Content-Type': contentType, ...retryAfter } }));
      log(status);
    };
    // Hono would keep headers of the answer that is replaced.
    const answer = (response: Response) => {
      c.res = undefined;
      c.res = response;
    };
    const hangUp = () => {
      c.env.incoming.socket.destroy();
      answer(RESPONSE_ALREADY_SENT);
      log(0);
    };

    if (fault?.kind === 'status') return fail(fault.status ?? 503);
    if (fault?.kind === 'reset') return hangUp();
    if (fault?.kind === 'latency') await sleep(fault.ms ?? 1000);
    await next();
    if (fault?.kind === 'accept_then') {
      if (fault.ms !== undefined) await sleep(fault.ms);
      if (fault.status === undefined) return hangUp();
      return fail(fault.status);
    }
    return log(c.res.status);
  });
};

const isPathPattern = (pattern: string): boolean => {
  try {
    pathExpression(pattern);
    return true;
  } catch {
    return false;
  }
};
const PathPattern = z.string().refine(isPathPattern, 'is neither a prefix nor a regular expression');

const FaultInput = z.strictObject({
  match: z.strictObject({ method: z.string().optional(), path: PathPattern.optional() }).default({}),
  kind: z.enum(['status', 'latency', 'accept_then', 'reset']),
  status: z.int().min(100).max(599).optional(),
  retryAfter: z.number().optional(),
  ms: z.number().min(0).optional(),
  times: z.int().min(1).optional(),
  rate: z.number().min(0).max(1).optional(),
});
const Rate = z.number().min(0).max(1);
const NotificationInput = z.strictObject({
  drop: Rate.optional(),
  duplicate: Rate.optional(),
  delayMs: z.number().min(0).optional(),
  shuffle: z.boolean().or(Rate).optional(),
  pause: z
    .boolean()
    .or(z.literal([0, 1]).transform(Boolean))
    .optional(),
});
const ClockInput = z.union([
  z.strictObject({ advanceMs: z.number() }),
  z.strictObject({ now: z.iso.datetime({ offset: true }).or(z.number()) }),
]);

/** Parses a control body; a mistake is answered with what is wrong. */
export const controlBody = async <T>(request: { text: () => Promise<string> }, shape: z.ZodType<T>): Promise<T> => {
  const text = await request.text();
  const parsed = shape.safeParse(text.trim() === '' ? {} : jsonOf(text), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ControlMistake(said(parsed.error));
};
export class ControlMistake extends Error {}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlMistake('The body is not JSON.');
  }
};

/** The part of `/_control` that all servers share. `reset` brings the server's own state back. */
export const controlRoutes = (control: Control, reset: () => void): Hono =>
  new Hono()
    .onError((error, c) => {
      if (error instanceof ControlMistake) return c.json({ error: error.message }, 400);
      throw error;
    })
    .post('/reset', (c) => {
      control.clock.reset();
      control.faults.clear();
      control.outgoing.reset();
      control.log.clear();
      reset();
      return c.json({ ok: true });
    })
    .get('/faults', (c) => c.json({ items: control.faults.list() }))
    .post('/faults', async (c) => c.json(control.faults.add(await controlBody(c.req, FaultInput))))
    .delete('/faults', (c) => {
      control.faults.clear();
      return c.json({ ok: true });
    })
    .get('/notifications', (c) => c.json(control.outgoing.faults))
    .post('/notifications', async (c) => {
      const { drop, duplicate, delayMs, shuffle, pause } = await controlBody(c.req, NotificationInput);
      const given = Object.entries({ drop, duplicate, delayMs, shuffle, pause }).filter(([, v]) => v !== undefined);
      control.outgoing.set(Object.fromEntries(given));
      return c.json(control.outgoing.faults);
    })
    .get('/clock', (c) => c.json({ now: control.clock.date().toISOString() }))
    .post('/clock', async (c) => {
      const body = await controlBody(c.req, ClockInput);
      if ('advanceMs' in body) control.clock.advance(body.advanceMs);
      else control.clock.set(new Date(body.now).getTime());
      return c.json({ now: control.clock.date().toISOString() });
    })
    .get('/requests', (c) => {
      const since = Number(c.req.query('since') ?? 0);
      if (!Number.isSafeInteger(since)) throw new ControlMistake('since is the seq of the last request already seen.');
      return c.json({ items: control.log.list(since, c.req.query('path')) });
    });
