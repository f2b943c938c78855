import { randomUUID } from 'node:crypto';
import type { Asked } from '../common/asked.ts';
import type { Answered, Door } from '../common/door.ts';
import { type Graph, isBatch } from './graph.ts';
import { errorEnvelope, GraphError } from './graph-error.ts';
import { parsePrefer } from './prefer.ts';
import type { GraphAnswer } from './route.ts';
import { authenticate, type Session } from './session.ts';

export const jsonType =
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8';

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

const nothing = new Uint8Array();

const readBody = (asked: Asked): Uint8Array | Promise<Uint8Array> => {
  if (asked.method === 'GET' || asked.method === 'HEAD' || !asked.bringsBody) return nothing;
  const announced = Number(asked.header('content-length') ?? 0);
  if (announced > 16 * 1024 * 1024) throw new GraphError(413, 'RequestEntityTooLarge', 'Request entity too large');
  return asked.body();
};

export const toResponse = (answer: GraphAnswer, headers: Record<string, string>): Response => {
  const all: Record<string, string> = { ...headers, ...answer.headers };
  if (answer.raw !== undefined) {
    all['Content-Type'] = answer.raw.contentType;
    return new Response(answer.raw.content as BodyInit, { status: answer.status, headers: all });
  }
  const text = answer.body === undefined ? undefined : JSON.stringify(answer.body);
  if (text === undefined) return new Response(null, { status: answer.status, headers: all });
  all['Content-Type'] = jsonType;
  all['OData-Version'] = '4.0';
  return new Response(text, { status: answer.status, headers: all });
};

const written = (answer: GraphAnswer, headers: string[]): Answered => {
  const { status, raw } = answer;
  for (const name in answer.headers) headers.push(name, answer.headers[name] ?? '');
  if (raw !== undefined) {
    headers.push('Content-Type', raw.contentType);
    return { status, headers, body: raw.content };
  }
  const body = answer.json ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  if (body !== undefined) headers.push('Content-Type', jsonType, 'OData-Version', '4.0');
  return { status, headers, body };
};

const sessionOf = (graph: Graph, asked: Asked): Session | GraphError => {
  try {
    return authenticate(graph.world, asked.header('authorization'));
  } catch (error) {
    if (error instanceof GraphError) return error;
    throw error;
  }
};

const api = '/v1.0';
const behindApi = /^\/v1\.0(?:[/?]|$)/;

/** Who asks, or why nobody, and how many requests of the same app ran on the same mailbox when this one arrived. */
type Arrival = { session: Session | GraphError; running: number; leave: () => void };

const uncounted = (): void => {};

/** Counts requests in flight per app and mailbox from the moment they arrive. */
const arrive = (graph: Graph, asked: Asked): Arrival => {
  const session = sessionOf(graph, asked);
  const url = asked.url.slice(api.length);
  if (session instanceof GraphError || isBatch(url)) return { session, running: 1, leave: uncounted };
  const { running, leave } = graph.throttle.arrive(graph.bucket(session, url));
  return { session, running, leave };
};

const answer = (graph: Graph, asked: Asked, { session, running }: Arrival): Answered | Promise<Answered> => {
  const requestId = randomUUID();
  const clientRequestId = asked.header('client-request-id') ?? requestId;
  const date = graph.world.control.clock.date();
  const headers = [
    ...['request-id', requestId],
    ...['client-request-id', clientRequestId],
    ...['Date', date.toUTCString()],
    ...['Cache-Control', 'private'],
  ];
  const refuse = (error: unknown): Answered => written(failure(error, { date, requestId, clientRequestId }), headers);
  const succeed = (made: GraphAnswer): Answered => {
    const { applied } = parsePrefer(asked.header('prefer'));
    if (applied.length > 0) headers.push('Preference-Applied', applied.join(', '));
    return written(made, headers);
  };
  const make = (who: Session, body: Uint8Array): GraphAnswer | Promise<GraphAnswer> =>
    graph.answer(
      {
        session: who,
        method: asked.method,
        url: asked.url.slice(api.length),
        base: asked.origin + api,
        header: (name) => asked.header(name),
        body,
      },
      running,
    );
  try {
    if (session instanceof GraphError) throw session;
    asked.user = session.person.address;
    const body = readBody(asked);
    const made = body instanceof Promise ? body.then((bytes) => make(session, bytes)) : make(session, body);
    return made instanceof Promise ? made.then(succeed, refuse) : succeed(made);
  } catch (error) {
    return refuse(error);
  }
};

/** Serves `/v1.0/*`. */
export const graphDoor = (graph: Graph): Door<Arrival> => ({
  opens: (url) => behindApi.test(url),
  enter: (asked) => arrive(graph, asked),
  answer: (asked, arrival) => answer(graph, asked, arrival),
  leave: (arrival) => arrival.leave(),
});
