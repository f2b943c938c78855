import { z } from 'zod';
import { defineStep, Fault, parseEndpoint, type UpstreamAnswer } from '#kit';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const credentials = new Set(['key', 'token', 'oauth_consumer_key', 'oauth_token']);

const rateOf = ({ status, headers }: UpstreamAnswer) => {
  const remaining = headers['x-rate-limit-api-token-remaining'];
  const retryAfter = Number(headers['retry-after'] ?? 10);
  return {
    ...(remaining === undefined ? {} : { remaining: Number(remaining) }),
    ...(status === 429 ? { retryAfterMs: (Number.isFinite(retryAfter) ? retryAfter : 10) * 1000 } : {}),
  };
};

export const apiCall = defineStep({
  name: 'api_call',
  title: 'Board API Call',
  group: 'Advanced',
  purpose: 'Call any endpoint of the board API with your own method, path, parameters and body.',
  effect: 'send',
  input: z.object({
    method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).describe('HTTP method.'),
    endpoint: z
      .string()
      .min(3)
      .max(8_000)
      .regex(/^\/1\//, 'must start with /1/')
      .describe('Path, such as /1/cards/{id}.'),
    query: z.record(z.string().min(1), Scalar).default({}).describe('URL parameters.'),
    body: z.record(z.string(), z.unknown()).optional().describe('Request body data.'),
  }),
  output: z.object({
    status: z.number().describe("The service's own status; errors are passed on as they are."),
    headers: z.record(z.string(), z.string()),
    data: z.unknown(),
    rate: z.object({ remaining: z.number().optional(), retryAfterMs: z.number().optional() }),
  }),
  run: async ({ method, endpoint, query, body }, { upstream }) => {
    const { path, query: typed } = parseEndpoint(endpoint);
    const all = { ...Object.fromEntries(typed), ...query };
    const secret = Object.keys(all).find((name) => credentials.has(name.toLowerCase()));
    if (secret !== undefined) {
      throw new Fault(
        'invalid_input',
        `Leave "${secret}" out: the account's credential is added for you, in a header.`,
      );
    }
    const answer = await upstream.request({ method, path, query: all, body });
    return { status: answer.status, headers: answer.headers, data: answer.body, rate: rateOf(answer) };
  },
});
