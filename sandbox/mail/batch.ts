import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Graph } from './graph.ts';
import { badRequest } from './graph-error.ts';
import { failure, jsonType } from './http.ts';
import { type GraphAnswer, type GraphRequest, type GraphRoute, jsonBody, ok } from './route.ts';
import { isObject, pick, readList, readText } from './values.ts';

type Part = {
  id: string;
  method: string;
  url: string;
  headers: Map<string, string>;
  body: Uint8Array;
  dependsOn: string[];
};
type PartAnswer = { id: string; status: number; headers: Record<string, string>; body?: unknown };

const most = 20;
/** Outlook runs at most this many of a batch at once. */
const atOnce = 4;

const readHeaders = (value: unknown): Map<string, string> =>
  new Map(isObject(value) ? Object.entries(value).map(([name, text]) => [name.toLowerCase(), String(text)]) : []);

const readPart = (value: unknown): Part => {
  if (!isObject(value)) throw badRequest('Each request of a batch must be an object.');
  const id = pick(value, 'id');
  if (typeof id !== 'string' && typeof id !== 'number') throw badRequest('Each request of a batch needs an id.');
  const url = pick(value, 'url');
  if (typeof url !== 'string' || url === '') throw badRequest('Each request of a batch needs a relative url.');
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) throw badRequest('The url of a batch request must be relative.');
  const headers = readHeaders(pick(value, 'headers'));
  const body = pick(value, 'body');
  const json = (headers.get('content-type') ?? '').toLowerCase().includes('json');
  if (body !== undefined && body !== null && !headers.has('content-type')) {
    throw badRequest(`Request '${String(id)}' has a body, so its headers need a Content-Type.`);
  }
  const depends = pick(value, 'dependsOn');
  return {
    id: String(id),
    method: readText(pick(value, 'method'), 'method').toUpperCase(),
    url: url.startsWith('/') ? url : `/${url}`,
    headers,
    body:
      body === undefined || body === null
        ? new Uint8Array()
        : new Uint8Array(
            json || typeof body !== 'string' ? Buffer.from(JSON.stringify(body)) : Buffer.from(body, 'base64'),
          ),
    dependsOn: depends === undefined || depends === null ? [] : readList(depends, 'dependsOn').map(String),
  };
};

/** None, a chain, or all on one: other shapes are refused. */
const checkDependencies = (parts: readonly Part[]): void => {
  const known = new Set(parts.map(({ id }) => id.toLowerCase()));
  const dependent = parts.filter(({ dependsOn }) => dependsOn.length > 0);
  for (const { id, dependsOn } of dependent) {
    if (dependsOn.some((other) => !known.has(other.toLowerCase()) || other.toLowerCase() === id.toLowerCase())) {
      throw badRequest(`Request '${id}' depends on a request that is not in the batch.`);
    }
  }
  if (dependent.length === 0) return;
  const chain = parts.every(({ dependsOn }, at) =>
    at === 0
      ? dependsOn.length === 0
      : dependsOn.length === 1 && dependsOn[0]?.toLowerCase() === parts[at - 1]?.id.toLowerCase(),
  );
  const targets = new Set(dependent.map(({ dependsOn }) => dependsOn.join(' ').toLowerCase()));
  const star = targets.size === 1 && dependent.every(({ dependsOn }) => dependsOn.length === 1);
  if (!chain && !star) throw badRequest('dependsOn must form a chain, or all requests must depend on the same one.');
};

const readBatch = (request: GraphRequest): Part[] => {
  const parts = readList(pick(jsonBody(request), 'requests'), 'requests').map(readPart);
  if (parts.length === 0 || parts.length > most) {
    throw badRequest(`The number of requests in a batch must be between 1 and ${most}.`);
  }
  if (new Set(parts.map(({ id }) => id.toLowerCase())).size !== parts.length) {
    throw badRequest('The ids of the requests in a batch must be unique.');
  }
  checkDependencies(parts);
  return parts;
};

const answerBody = (answer: GraphAnswer): { body?: unknown; type?: string } => {
  if (answer.raw !== undefined) {
    return { body: Buffer.from(answer.raw.content as string).toString('base64'), type: answer.raw.contentType };
  }
  if (answer.json !== undefined) return { body: JSON.parse(answer.json.toString()), type: jsonType };
  return answer.body === undefined ? {} : { body: answer.body, type: jsonType };
};

/** Each part is answered, and throttled, on its own; the batch itself is 200. */
const run = async (graph: Graph, request: GraphRequest, part: Part): Promise<PartAnswer> => {
  const requestId = randomUUID();
  const bucket = graph.bucket(request.session, part.url);
  const { running, leave } = graph.throttle.arrive(bucket);
  let answer: GraphAnswer;
  try {
    if (/^\/\$batch/i.test(part.url)) throw badRequest('A batch cannot hold a batch.');
    await breathe();
    answer = await graph.answer(
      {
        session: request.session,
        method: part.method,
        url: part.url,
        base: request.base,
        header: (name) => part.headers.get(name.toLowerCase()),
        body: part.body,
      },
      running,
    );
  } catch (error) {
    const date = graph.world.control.clock.date();
    answer = failure(error, { date, requestId, clientRequestId: requestId });
  } finally {
    leave();
  }
  const { body, type } = answerBody(answer);
  const headers = { ...answer.headers, ...(type === undefined ? {} : { 'Content-Type': type }) };
  return { id: part.id, status: answer.status, headers, ...(body === undefined ? {} : { body }) };
};

const failedDependency = (id: string): PartAnswer => ({
  id,
  status: 424,
  headers: { 'Content-Type': jsonType },
  body: { error: { code: 'FailedDependency', message: 'A request this one depends on has failed.' } },
});

const batch =
  (graph: Graph) =>
  async (request: GraphRequest): Promise<GraphAnswer> => {
    const parts = readBatch(request);
    const done = new Map<string, PartAnswer>();
    const finish = async (part: Part): Promise<void> => {
      const failed = part.dependsOn.some((id) => (done.get(id.toLowerCase())?.status ?? 424) >= 400);
      done.set(part.id.toLowerCase(), failed ? failedDependency(part.id) : await run(graph, request, part));
    };
    const serial = parts.some(({ dependsOn }) => dependsOn.length > 0);
    const waiting = parts.toSorted((a, b) => Number(a.dependsOn.length > 0) - Number(b.dependsOn.length > 0));
    const worker = async (): Promise<void> => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await finish(part);
    };
    await Promise.all(Array.from({ length: serial ? 1 : atOnce }, worker));
    return ok({ responses: [...done.values()] });
  };

export const batchRoutes = (graph: Graph): GraphRoute[] => [
  { method: 'POST', path: '$batch', scopes: [], handle: batch(graph) },
];
