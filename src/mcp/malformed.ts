import { ProtocolErrorCode, specTypeSchemas } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { inOneLine, wrongFields } from '#kit';

const kinds = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
} as const;

const Asked = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.enum(Object.keys(kinds) as (keyof typeof kinds)[]),
});

// Whoever names the revision in each request speaks one that has no handshake: these are unknown there, however they look.
const Named = z.looseObject({
  method: z.enum(['initialize', 'ping']),
  params: z.looseObject({ _meta: z.looseObject({ 'io.modelcontextprotocol/protocolVersion': z.string() }) }),
});

const isKey = (key: unknown): key is PropertyKey => ['string', 'number', 'symbol'].includes(typeof key);

/**
 * Refuses what the protocol itself asks for and was not given. The library answers most of that as a failure of ours, and in
 * the words of a validator.
 */
export const refuseMalformed = (message: unknown): Response | undefined => {
  const { data: asked } = Asked.safeParse(message);
  if (asked === undefined || Named.safeParse(message).success) return undefined;
  const judged = specTypeSchemas[kinds[asked.method]]['~standard'].validate(message);
  if (judged instanceof Promise || judged.issues === undefined) return undefined;
  const issues = judged.issues.map((issue) => ({ ...issue, path: (issue.path ?? []).filter(isKey) }));
  const error = {
    code: ProtocolErrorCode.InvalidParams,
    message: `The request does not fit. ${inOneLine(wrongFields(issues))}`,
  };
  return Response.json({ jsonrpc: '2.0', id: asked.id, error });
};
