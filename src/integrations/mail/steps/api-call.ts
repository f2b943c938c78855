import { z } from 'zod';
import { defineStep, parseEndpoint, queryOf } from '#kit';

export const apiCall = defineStep({
  name: 'api_call',
  title: 'Mail API Call',
  group: 'Advanced',
  purpose: 'Call any endpoint of the mail API with your own method, path, headers and body.',
  effect: 'send',
  input: z.object({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).describe('HTTP method.'),
    endpoint: z.string().min(2).max(8_000).describe('Path with its query, such as /me/messages?$top=5.'),
    headers: z.record(z.string(), z.string()).default({}).describe('Request headers, such as Prefer.'),
    body: z.unknown().optional().describe('Request body.'),
  }),
  output: z.object({ status: z.number(), headers: z.record(z.string(), z.string()), data: z.unknown() }),
  run: async ({ method, endpoint, headers, body }, { upstream }) => {
    const { path, query } = parseEndpoint(endpoint);
    const answer = await upstream.request({ method, path, query: queryOf(query), headers, body });
    return { status: answer.status, headers: answer.headers, data: answer.body };
  },
});
