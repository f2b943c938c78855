import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { Fault } from '#kit';
import { type Caller, type Door, opens } from '#workspaces';
import { access, type DoorName } from './access.ts';
import { notJson } from './body-limits.ts';
import { ErrorBody } from './contract.ts';
import type { Env } from './env.ts';
import { refuse } from './failures.ts';
import { operationName } from './operation-name.ts';

const refusals = {
  400: 'The request is malformed; the message names the fields.',
  401: 'No credential, or one that is not accepted.',
  403: 'The role or the scopes do not allow this.',
  404: 'Nothing with this id in this workspace.',
  409: 'In conflict with the present state.',
  413: 'Too large.',
  422: 'The service refused; its reason is in the message.',
  429: 'Too many requests; wait `retryAfterMs`.',
  500: 'Our mistake; quote `requestId`.',
  502: 'The service does not answer, or not as it should; try later.',
  503: 'Storage is away or the workspace is stopped; try later.',
  504: 'It may have happened: look before repeating.',
};

const errors = Object.fromEntries(
  Object.entries(refusals).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: ErrorBody } } },
  ]),
);

const neededFor = ({ role, scope, also }: Door): string => {
  if (role === undefined) return 'the key of that run';
  if (scope === undefined) return `a signed-in member with the role ${role}; no API key opens it`;
  return `the role ${role} or the key scope ${scope}${also === undefined ? '' : ` and ${also}`}`;
};

/** Lets in whom the table admits. */
export const letIn = (name: DoorName, caller: Caller | undefined): void => {
  const door: Door | null = access[name];
  if (door === null) return;
  if (caller === undefined) {
    throw new Fault('unauthenticated', 'Send an API key as "Authorization: Bearer …", or sign in.');
  }
  if (!opens(caller, door)) {
    throw new Fault('forbidden', `This needs ${neededFor(door)}.`);
  }
};

const noFields = z.strictObject({});

/** What nobody reads would be lost in silence: a route without a body takes none, or an empty object. */
const refuseFields = (text: string): void => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw notJson();
  }
  const read = noFields.safeParse(given ?? {});
  if (!read.success) throw refuse(read.error.issues);
};

const noParameters = (hint: string) =>
  z.strictObject(
    {},
    { error: ({ code }) => (code === 'unrecognized_keys' ? `is not a parameter here${hint}` : undefined) },
  );
const besideBody = noParameters('; fields stand in the body');
const besideNothing = noParameters('');

/** Who writes `?dryRun=true` must not be answered as if they had not. */
const refuseParameters = (url: string, takesBody: boolean): void => {
  const given = Object.fromEntries(new URL(url).searchParams);
  const read = (takesBody ? besideBody : besideNothing).safeParse(given);
  if (!read.success) throw refuse(read.error.issues);
};

/** Runs before anything of the request is parsed. */
const enter =
  (name: DoorName, { takesBody, takesQuery }: { takesBody: boolean; takesQuery: boolean }): MiddlewareHandler<Env> =>
  (c, next) => {
    letIn(name, c.var.caller);
    if (!takesQuery && c.req.url.includes('?')) refuseParameters(c.req.url, takesBody);
    // The framework reads a body of no type as none: its fields, such as dryRun, would be lost in silence.
    if (takesBody && c.var.body !== '' && (c.req.header('content-type') ?? '') === '') throw notJson();
    if (!takesBody && c.var.body !== '') refuseFields(c.var.body);
    return next();
  };

const repeatable = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  description: 'Sent again with the same key, the request is answered from the first time instead of done again.',
  schema: { type: 'string' as const, minLength: 1, maxLength: 200, pattern: '^[\\x20-\\x7e]+$' },
};

type Definition = {
  tag: string;
  summary: string;
  description?: string;
  request?: NonNullable<RouteConfig['request']>;
  responses: RouteConfig['responses'];
  /** Does nothing that could be done twice, so that no Idempotency-Key is offered. */
  reads?: boolean;
};
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

const securityOf = ({ role, scope, runKey }: Door) => [
  ...(scope === undefined && runKey === undefined ? [] : [{ apiKey: [] }]),
  ...(role === undefined ? [] : [{ session: [] }]),
];

const answersList = ({ 200: answer }: RouteConfig['responses']): boolean => {
  const told = answer !== undefined && 'content' in answer ? answer.content?.['application/json'] : undefined;
  return told !== undefined && 'schema' in told && told.schema instanceof z.ZodObject && 'items' in told.schema.shape;
};

/** One operation of the API, guarded by its line in the access table. */
export const operation = <const D extends Definition>(name: DoorName, definition: D) => {
  const [method = '', path = ''] = name.split(' ');
  const { tag, reads = method === 'GET', ...rest } = definition;
  const door: Door | null = access[name];
  const route = {
    ...rest,
    method: method.toLowerCase() as Verb,
    path,
    tags: [tag],
    operationId: operationName(name, answersList(definition.responses)),
    middleware: enter(name, {
      takesBody: rest.request?.body !== undefined,
      takesQuery: rest.request?.query !== undefined,
    }),
    security: door === null ? [] : securityOf(door),
    'x-access': door ?? 'public',
    // Before anybody is known there is nobody whose request it would be.
    ...(reads || door === null ? {} : { parameters: [repeatable] }),
    responses: { ...definition.responses, ...errors },
  };
  return createRoute(route as RouteConfig) as unknown as D & { method: Verb; path: string; getRoutingPath(): string };
};

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  body: { required: true, content: { 'application/json': { schema } } },
});

export const page = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  json(z.object({ items: z.array(schema), nextCursor: z.string().optional() }), description);
