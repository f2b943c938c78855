import { z } from 'zod';
import {
  defineStep,
  type Endpoint,
  Fault,
  mostAnswerBytes,
  noteOnCut,
  type Path,
  parseEndpoint,
  patiently,
  queryOf,
  requestHeaders,
  type UpstreamAnswer,
  type UpstreamRequest,
  wrong,
} from '#kit';
import { fit, openCursor, type Place, placeOf, readPage, readPages, sealCursor } from '../api-paging.ts';
import { isBatch } from '../effects.ts';
import { readFault } from '../faults.ts';
import { pauseIn } from '../together.ts';
import { prefer } from '../wire.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const Input = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).describe('HTTP method.'),
  endpoint: z
    .string()
    .min(2)
    .max(8_000)
    .describe('Path, with its query if you like, such as /me/messages?$top=5&$filter=isRead eq false.'),
  query: z
    .record(z.string().min(1).max(200), Scalar)
    .default({})
    .describe('URL parameters besides those in the endpoint.'),
  headers: z
    .record(z.string().min(1).max(100), z.string().max(4_000))
    .default({})
    .describe(
      'Request headers, such as Prefer, If-Match or ConsistencyLevel. Ids are immutable unless Prefer names an IdType.',
    ),
  body: z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string().max(5_000_000)])
    .optional()
    .describe('Request body: JSON, or text with its own Content-Type header.'),
  paginate: z
    .enum(['off', 'all'])
    .or(z.int().min(1).max(10_000))
    .default('off')
    .describe('For lists: only this page, all pages, or as many items as this number says.'),
  cursor: z
    .string()
    .max(20_000)
    .optional()
    .describe('nextCursor of an earlier answer of this endpoint, to go on from there.'),
  retry: z
    .boolean()
    .default(false)
    .describe(
      'Whether to repeat a GET up to twice when the service is busy or not well. Other methods are not repeated.',
    ),
  responseType: z
    .enum(['json', 'file'])
    .default('json')
    .describe('With file, the answer, of up to 10 MB, is stored and mentioned by reference, such as a photo.'),
  maxBytes: z
    .int()
    .min(1_000)
    .max(mostAnswerBytes)
    .default(1_000_000)
    .describe('How large data may become; what does not fit is cut, and truncated says so.'),
});

const mostItems = 10_000;
const repeats = 2;

/** An endpoint as the service's own pages write it has the version in front, which the address of the API ends with. */
const belowVersion = ({ path, query }: Endpoint): Endpoint => {
  if (/^\/beta(?=\/|$)/i.test(path)) {
    throw wrong('endpoint', 'The version of the API is set by the operator; leave "/beta" out.');
  }
  return { path: (path.replace(/^\/v1\.0(?=\/[^/]|$)/i, '') || '/') as Path, query };
};

/** How long the service asks us to stay away, if it refused. */
const pauseOf = (answer: UpstreamAnswer): number | undefined =>
  answer.status < 400 ? undefined : readFault(answer).retryAfterMs;

const headersOf = (given: Readonly<Record<string, string>>): Record<string, string> => {
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const preferred = headers['prefer'];
  if (preferred === undefined) return { ...headers, ...prefer() };
  return /\bIdType\b/i.test(preferred) ? headers : { ...headers, ...prefer(preferred) };
};

/** Models like to send JSON as text. It is read here, so that what is judged is what is sent. */
const bodyOf = (body: z.output<typeof Input>['body'], type: string | undefined): unknown => {
  if (typeof body !== 'string') return body;
  if (type !== undefined && !/json/i.test(type)) {
    // The service would read it as JSON all the same, and nobody would have been shown what it says.
    if (/^[\s\ufeff]*[{[]/.test(body)) throw wrong('headers', `The body is JSON; leave "${type}" out of Content-Type.`);
    return body;
  }
  try {
    return JSON.parse(body);
  } catch {
    throw wrong('body', 'The body is text but not JSON; send an object, or name its type as Content-Type.');
  }
};

const Batch = z.object({ requests: z.array(z.looseObject({ headers: z.record(z.string(), z.unknown()).nullish() })) });

/** The parts of a batch are counted and shown one by one, and keep to the headers that any request may have. */
const checkBatch = (body: unknown): void => {
  const { data } = Batch.safeParse(body);
  if (data === undefined) throw wrong('body', 'A batch is an object whose "requests" is a list of requests.');
  const names = data.requests.flatMap(({ headers }) => Object.keys(headers ?? {}));
  const odd = names.find((name) => !requestHeaders.has(name.toLowerCase()));
  if (odd !== undefined) {
    throw wrong('body', `The header "${odd.slice(0, 60)}" cannot be set in a batch.`, { allowed: [...requestHeaders] });
  }
};

const dataUrl = /^data:([^;,]*);base64,/;

const bytesOf = ({ body }: UpstreamAnswer): Buffer => {
  if (typeof body !== 'string') return Buffer.from(body === null ? '' : JSON.stringify(body));
  const inner = dataUrl.exec(body);
  return inner === null ? Buffer.from(body) : Buffer.from(body.slice(inner[0].length), 'base64');
};

/** Fewer items or fields are no way to the content of one attachment. */
const namingTheWay = (error: unknown, path: string): unknown => {
  if (!(error instanceof Fault) || error.code !== 'too_large' || error.details === undefined) return error;
  if (!/\/attachments\/[^/]+(?:\/\$value)?$/i.test(path)) return error;
  const message = 'The attachment is larger than the 10 MB of an API call; get_attachment stores it and answers a ref.';
  return new Fault('too_large', message, { details: error.details });
};

const nameOf = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '$value');
  return (parts.at(-1) ?? 'answer').replace(/[^\w.@=-]+/g, '_').slice(0, 100);
};

export const apiCall = defineStep({
  name: 'api_call',
  title: 'Mail API Call',
  group: 'Advanced',
  purpose: 'Call any endpoint of the mail API with your own method, path, parameters, headers and body.',
  effect: 'send',
  passThrough: true,
  input: Input,
  output: z.object({
    status: z.number().describe("The service's own status; errors are passed on as they are."),
    headers: z.record(z.string(), z.string()),
    data: z.unknown().optional(),
    fileRef: z
      .object({ ref: z.string(), name: z.string(), contentType: z.string(), size: z.number() })
      .optional()
      .describe('The stored answer, with responseType file.'),
    nextCursor: z.string().optional(),
    truncated: z.boolean(),
    note: z.string().optional().describe('How to get what was cut and nextCursor does not lead to.'),
    rate: z.object({ retryAfterMs: z.number().optional() }),
  }),
  summary: ({ status }) => `The service answered ${status}.`,
  run: async (input, { upstream, files }) => {
    const { method, endpoint, cursor, paginate, retry, responseType, maxBytes } = input;
    const { path, query: typed } = belowVersion(parseEndpoint(endpoint));
    const headers = headersOf(input.headers);
    const body = bodyOf(input.body, headers['content-type']);
    if (isBatch(path)) checkBatch(body);
    const from =
      cursor === undefined ? { query: { ...queryOf(typed), ...input.query }, given: 0 } : openCursor(path, cursor);
    const ask = (asked: UpstreamRequest['query']) =>
      patiently(
        () => upstream.request({ method, path, query: asked, headers, body }),
        retry && method === 'GET' ? repeats : 0,
        pauseOf,
      );
    const wanted = paginate === 'all' ? mostItems : paginate;
    const { answer, pages, next } =
      method === 'GET' && wanted !== 'off'
        ? await readPages(ask, from, { wanted, maxBytes })
        : await readPage(ask, from).catch((error: unknown) => {
            throw namingTheWay(error, path);
          });
    const head = {
      status: answer.status,
      headers: answer.headers,
      rate: { retryAfterMs: pauseOf(answer) ?? pauseIn({ path }, answer) },
    };
    const goOn = (place: Place | undefined) => ({
      ...(place === undefined ? {} : { nextCursor: sealCursor(path, place) }),
    });
    if (responseType === 'file' && answer.status >= 200 && answer.status < 300) {
      const contentType = answer.headers['content-type']?.split(';')[0] ?? 'application/octet-stream';
      const fileRef = await files.store({ name: nameOf(path), contentType, bytes: bytesOf(answer) });
      return { ...head, ...goOn(next), fileRef, truncated: next !== undefined };
    }
    const { data, cut, goesOn } = fit(answer.body, maxBytes);
    if (cut === undefined) return { ...head, ...goOn(next), data, truncated: next !== undefined };
    // Asking again could do something twice.
    if (method !== 'GET') return { ...head, data, truncated: true };
    const place = goesOn === undefined ? next : placeOf(pages, goesOn);
    const reached = cut.what === 'rest' && place !== undefined;
    const note = reached ? {} : { note: noteOnCut(cut, 'a narrower $select', place !== undefined) };
    return { ...head, ...goOn(place), data, truncated: true, ...note };
  },
});
