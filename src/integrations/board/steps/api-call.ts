import { z } from 'zod';
import {
  defineStep,
  fromListCursor,
  mostAnswerBytes,
  noteOnCut,
  parseEndpoint,
  patiently,
  queryOf,
  staysInSegment,
  toListCursor,
  type UpstreamAnswer,
  type UpstreamRequest,
  wrong,
} from '#kit';
import { cutTo, isPaged, nextOf, pageSize, readPages } from '../api-paging.ts';
import { readFault } from '../faults.ts';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const credentials = new Set(['key', 'token', 'oauth_consumer_key', 'oauth_token', 'access_token']);
const ownToken = 'Leave the token out: requests are signed for you, and addresses are kept in records.';
const tokenPath = /^\/+1\/+tokens(?:\/|%2f)/i;
// Tokens of both generations.
const token = /\bATTA[0-9A-Za-z]{20,}|\b[0-9a-f]{64}\b/i;

const holdsNoToken = (text: string): boolean => !token.test(text);
const namesNoCredential = (given: Record<string, unknown>): boolean =>
  !Object.keys(given).some((name) => credentials.has(name.toLowerCase()));

const noCredential = "Leave key and token out: the account's credential is added for you, in a header.";

const batchPath = /^\/+1\/+batch\/*$/i;
const decoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The addresses inside a batch are read by the service alone: they are held to what any other address is. */
const checkBatch = ({ urls = '' }: NonNullable<UpstreamRequest['query']>): void => {
  // The service decodes them once more than it decodes other values.
  const text = decoded(decoded([urls].flat().join(',')));
  const [, ...given] = text.split(/[?&]/);
  const names = given.map((pair) => [pair.split('=')[0]?.trim(), pair]);
  if (!namesNoCredential(Object.fromEntries(names))) throw wrong('endpoint', noCredential);
  if (!text.split(/[,?]/).every(staysInSegment)) throw wrong('endpoint', 'A batch holds "." or ".." as a segment.');
};

const Input = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).describe('HTTP method.'),
  endpoint: z
    .string()
    .min(3)
    .max(8_000)
    .regex(/^\/1\//, 'must start with /1/')
    .refine((text) => !tokenPath.test(text), {
      error: `${ownToken} Connect, disconnect and triggers take care of tokens and webhooks; /1/members/me tells who this is.`,
    })
    .refine(holdsNoToken, { error: ownToken })
    .describe('Path, such as /1/cards/{id}.'),
  query: z
    .record(z.string().min(1), Scalar)
    .default({})
    .refine(namesNoCredential, { error: noCredential })
    .refine((query) => holdsNoToken(JSON.stringify(query)), { error: ownToken })
    .describe('URL parameters.'),
  body: z
    .record(z.string(), z.unknown())
    .optional()
    .refine((body) => body === undefined || namesNoCredential(body), { error: noCredential })
    .describe('Request body data.'),
  paginate: z
    .enum(['off', 'all'])
    .or(z.int().min(1).max(10_000))
    .default('off')
    .describe('For lists that come in pages: only this page, all pages, or as many items as this number says.'),
  cursor: z.string().max(100).optional().describe('nextCursor of an earlier answer, to go on from there.'),
  retry: z
    .boolean()
    .default(false)
    .describe(
      'Whether to repeat a GET up to twice when the service is busy or not well. Other methods are not repeated.',
    ),
  maxBytes: z
    .int()
    .min(1_000)
    .max(mostAnswerBytes)
    .default(1_000_000)
    .describe('How large data may become; what does not fit is cut, and truncated says so.'),
});

const mostItems = 10_000;
const repeats = 2;

const pauseOf = (answer: UpstreamAnswer): number | undefined =>
  answer.status < 400 ? undefined : readFault(answer).retryAfterMs;

const rateHeader = 'x-rate-limit-';

const rateOf = (answer: UpstreamAnswer) => {
  const told = (name: string) => {
    const value = answer.headers[`${rateHeader}api-${name}`];
    return value === undefined ? undefined : Number(value);
  };
  return {
    remaining: told('token-remaining'),
    limit: told('token-max'),
    windowMs: told('token-interval-ms'),
    keyRemaining: told('key-remaining'),
    retryAfterMs: pauseOf(answer),
  };
};

/** Nine headers tell of rates what `rate` tells. */
const headersOf = ({ headers }: UpstreamAnswer): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(rateHeader)));

export const apiCall = defineStep({
  name: 'api_call',
  title: 'Board API Call',
  group: 'Advanced',
  purpose: 'Call any endpoint of the board API with your own method, path, parameters and body.',
  effect: 'send',
  passThrough: true,
  input: Input,
  output: z.object({
    status: z.number().describe("The service's own status; errors are passed on as they are."),
    headers: z.record(z.string(), z.string()),
    data: z.unknown(),
    nextCursor: z.string().optional(),
    truncated: z.boolean(),
    note: z.string().optional().describe('How to get what was cut and nextCursor does not lead to.'),
    rate: z.object({
      remaining: z.number().optional(),
      limit: z.number().optional(),
      windowMs: z.number().optional(),
      keyRemaining: z
        .number()
        .optional()
        .describe("What is left for all accounts of the same app key; the rest is this account's."),
      retryAfterMs: z.number().optional(),
    }),
  }),
  summary: ({ status }) => `The service answered ${status}.`,
  run: async ({ method, endpoint, query, body, paginate, cursor, retry, maxBytes }, { upstream }) => {
    const { path, query: typed } = parseEndpoint(endpoint);
    if (!namesNoCredential(Object.fromEntries(typed))) throw wrong('endpoint', noCredential);
    const pages = isPaged(method, path);
    const given = {
      ...queryOf(typed),
      ...query,
      ...(cursor === undefined ? {} : { before: fromListCursor(path, cursor) }),
    };
    if (batchPath.test(path)) checkBatch(given);
    const ask = (asked: UpstreamRequest['query']) =>
      patiently(
        () => upstream.request({ method, path, query: asked, body }),
        retry && method === 'GET' ? repeats : 0,
        pauseOf,
      );
    const size = pageSize(path, given);
    const wanted = paginate === 'all' ? mostItems : paginate === 'off' ? 0 : paginate;
    const read = pages && wanted > 0 ? await readPages(ask, given, wanted, maxBytes) : undefined;
    const answer = read?.answer ?? (await ask(given));
    const { data, cut, lastId } = cutTo(answer, maxBytes);
    const next = read === undefined ? (pages ? nextOf(answer, size) : undefined) : read.next;
    const last = pages ? (lastId ?? next) : undefined;
    const nextCursor = last === undefined ? undefined : toListCursor(path, last);
    const goesOn = nextCursor !== undefined;
    const unreached = method === 'GET' && (cut?.what === 'first item' || !goesOn) ? cut : undefined;
    return {
      status: answer.status,
      headers: headersOf(answer),
      data,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      truncated: cut !== undefined || goesOn,
      ...(unreached === undefined ? {} : { note: noteOnCut(unreached, 'fewer fields', goesOn) }),
      rate: rateOf(answer),
    };
  },
});
