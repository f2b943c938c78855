import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import { maxFileBytes } from '#runs';
import { type Idempotency, usedForAnother } from '#workspaces';
import { bodyOf, refuseLarge } from './body-limits.ts';
import type { Env } from './env.ts';

// A run is itself the record of its request, and remembers more than an answer. A preview and a check do nothing that
// could be done twice, and what they show is not kept.
const remembersItself = /^\/v1\/(?:(?:steps|tools)\/[^/]+\/run|agents\/[^/]+\/runs|triggers\/preview|tools\/check)$/;

// Their answers hold what came from an account, which takes it along when it leaves: of them the id is kept, and what it
// names is shown as it stands then.
const shownAnew = /^\/v1\/(approvals|events|runs)\/[^/]+\/(?:approve|reject|edit|replay|cancel)$/;
type Anew = { [kind in 'approvals' | 'events' | 'runs']: (workspaceId: string, id: string) => Promise<object> };

const kindOf = (path: string) => shownAnew.exec(path)?.[1] as keyof Anew | undefined;
const idIn = (answer: string): string => (JSON.parse(answer) as { id: string }).id;

export const idempotencyKey = (header: string | undefined): string | undefined => {
  if (header === undefined || /^(?! *$)[\x20-\x7e]{1,200}$/.test(header)) return header;
  throw new Fault('invalid_input', 'Idempotency-Key must be 1 to 200 printable characters, not blanks alone.');
};

// Before an answer is kept what came with the request, where its route reads that itself and nobody knows it sooner.
const withDigest = /^([0-9a-f]{64}) (.*)$/s;

const digestOf = async (c: Context<Env>): Promise<string> => {
  refuseLarge(c, maxFileBytes);
  const digest = createHash('sha256');
  let size = 0;
  for await (const chunk of bodyOf(c)) {
    size += chunk.byteLength;
    // Nothing as large as this was kept.
    if (size > maxFileBytes) throw usedForAnother();
    digest.update(chunk);
  }
  return digest.digest('hex');
};

const againMs = 1_000;
const mostTries = 60;

/** Without storage just now, it is tried again for a while: until it is stored, whoever repeats the request has to wait. */
const untilStored = async (store: () => Promise<void>, clock: Clock): Promise<void> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    await clock.sleep(againMs);
    const stored = await store().then(
      () => true,
      () => false,
    );
    if (stored) return;
  }
};

/** Answers a repeated keyed write with the first answer instead of doing it again. */
export const answerAgain = ({
  idempotency,
  anew,
  storageFault,
  clock,
}: {
  idempotency: Idempotency;
  anew: Anew;
  storageFault: (error: unknown) => Fault | undefined;
  clock: Clock;
}) =>
  createMiddleware<Env>(async (c, next) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const { caller } = c.var;
    const { method, path } = c.req;
    if (key === undefined || caller === undefined || method === 'GET' || remembersItself.test(path)) return next();
    const place = `${path}${new URL(c.req.url).search}`;
    const request = {
      workspaceId: caller.workspaceId,
      caller: caller.actor.id,
      key,
      method,
      path: place,
      body: c.var.body,
    };
    const earlier = await idempotency.begin(request);
    const kind = kindOf(path);
    if (earlier !== undefined && kind !== undefined) {
      c.header('idempotent-replayed', 'true');
      return c.json(await anew[kind](caller.workspaceId, idIn(earlier.body)));
    }
    if (earlier !== undefined) {
      const [, digest, answer = earlier.body] = withDigest.exec(earlier.body) ?? [];
      if (digest !== undefined && digest !== (await digestOf(c))) throw usedForAnother();
      const type = answer === '' ? {} : { 'content-type': 'application/json' };
      const headers = { ...type, 'idempotent-replayed': 'true' };
      return new Response(answer === '' ? null : answer, { status: earlier.status, headers });
    }
    await next();
    // Nobody knows whether it was done, so the key is not free.
    const failure = c.error instanceof Fault ? c.error : storageFault(c.error);
    if (failure?.details?.['inDoubt'] === true) return;
    const { status } = c.res;
    const answer = status >= 400 ? '' : await c.res.clone().text();
    const { bodyDigest } = c.var;
    const kept = kind === undefined || answer === '' ? answer : JSON.stringify({ id: idIn(answer) });
    const body = bodyDigest === undefined ? kept : `${bodyDigest} ${kept}`;
    // Refusals leave nothing behind, so the corrected request may use the key again.
    const settle = () => (status >= 400 ? idempotency.release(request) : idempotency.finish(request, { status, body }));
    await settle().catch((error: unknown) => {
      void untilStored(settle, clock);
      throw error;
    });
  });
