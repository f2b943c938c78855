import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { SandboxEnv } from '../common/server.ts';
import { type Graph, isBatch } from './graph.ts';
import { errorEnvelope, GraphError } from './graph-error.ts';
import { parsePrefer } from './prefer.ts';
import type { GraphAnswer } from './route.ts';
import { authenticate, type Session } from './session.ts';

export const jsonType =
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8';

const nothing = new Uint8Array();
/** Who asks, and how many requests of the same app ran on the same mailbox when this one arrived. */
const arrivals = new WeakMap<Request, { session: Session; running: number }>();

/** Every failure in the service's words; what is no GraphError is a bug and says so. */
export const failure = (
  error: unknown,
  about: { date: Date; requestId: string; clientRequestId: string },
): GraphAnswer => {
  const known =
    error instanceof GraphError ? error : new GraphError(500, 'InternalServerError', `Sandbox bug: ${String(error)}`);
  return {
    status: known.status,
    body: errorEnvelope(known, about),
    headers: {
      ...known.headers,
      ...(known.retryAfter === undefined ? {} : { 'Retry-After': String(known.retryAfter) }),
    },
  };
};

const readBody = async (c: Context<SandboxEnv>): Promise<Uint8Array> => {
  const { method } = c.req.raw;
  if (method === 'GET' || method === 'HEAD') return nothing;
  const announced = Number(c.req.header('content-length') ?? 0);
  if (announced > 16 * 1024 * 1024) throw new GraphError(413, 'RequestEntityTooLarge', 'Request entity too large');
  return new Uint8Array(await c.req.arrayBuffer());
};

export const toResponse = (answer: GraphAnswer, headers: Record<string, string>): Response => {
  const all: Record<string, string> = { ...headers, ...answer.headers };
  if (answer.raw !== undefined) {
    all['Content-Type'] = answer.raw.contentType;
    return new Response(answer.raw.content as BodyInit, { status: answer.status, headers: all });
  }
  const text = answer.json ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  if (text === undefined) return new Response(null, { status: answer.status, headers: all });
  all['Content-Type'] = jsonType;
  all['OData-Version'] = '4.0';
  return new Response(text, { status: answer.status, headers: all });
};

const applied = (c: Context<SandboxEnv>): Record<string, string> => {
  const honoured = parsePrefer(c.req.header('prefer')).applied;
  return honoured.length === 0 ? {} : { 'Preference-Applied': honoured.join(', ') };
};

/** Serves `/v1.0/*`. */
export const graphHandler =
  (graph: Graph) =>
  async (c: Context<SandboxEnv>): Promise<Response> => {
    const requestId = randomUUID();
    const clientRequestId = c.req.header('client-request-id') ?? requestId;
    const date = graph.world.control.clock.date();
    const headers = {
      'request-id': requestId,
      'client-request-id': clientRequestId,
      Date: date.toUTCString(),
      'Cache-Control': 'private',
    };
    try {
      const url = c.req.raw.url;
      const start = url.indexOf('/', url.indexOf('//') + 2);
      const arrival = arrivals.get(c.req.raw);
      const session = arrival?.session ?? authenticate(graph.world, c.req.header('authorization'));
      c.set('user', session.person.address);
      const answer = await graph.answer(
        {
          session,
          method: c.req.raw.method,
          url: url.slice(start + '/v1.0'.length),
          base: `${url.slice(0, start)}/v1.0`,
          header: (name) => c.req.header(name),
          body: await readBody(c),
        },
        arrival?.running ?? 1,
      );
      return toResponse(answer, { ...headers, ...applied(c) });
    } catch (error) {
      const answer = failure(error, { date, requestId, clientRequestId });
      return toResponse(answer, headers);
    }
  };

const sessionOf = (graph: Graph, c: Context<SandboxEnv>): Session | undefined => {
  try {
    return authenticate(graph.world, c.req.header('authorization'));
  } catch (error) {
    // Refused, with the reason, by the handler.
    if (error instanceof GraphError) return undefined;
    throw error;
  }
};

/** Counts requests in flight per app and mailbox from the moment they arrive, before any fault delays them. */
export const countRunning =
  (graph: Graph) =>
  async (c: Context<SandboxEnv>, next: () => Promise<void>): Promise<void> => {
    const session = sessionOf(graph, c);
    if (session === undefined) return next();
    const url = c.req.raw.url;
    const start = url.indexOf('/', url.indexOf('//') + 2);
    if (isBatch(url.slice(start + '/v1.0'.length))) return next();
    const { running, leave } = graph.throttle.arrive(graph.bucket(session, url.slice(start + '/v1.0'.length)));
    arrivals.set(c.req.raw, { session, running });
    try {
      await next();
    } finally {
      leave();
    }
  };
