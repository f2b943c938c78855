import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { z } from 'zod';
import type { Exchange } from '../../recording/exchange.ts';
import { answerCorrections, colours, corrections } from './corrections.ts';
import { pages, undescribed, untold } from './gaps.ts';

/* Compares answers under /1 with the service's OpenAPI file, as corrected. */

type Json = Record<string, unknown>;

const Description = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
const Operation = z.object({
  responses: z.record(
    z.string(),
    z.object({ content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional() }),
  ),
});

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** OpenAPI 3.0 to JSON Schema: nullable becomes a type, a $ref stands alone, a "date" with a time is a date-time. */
const toJsonSchema = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isObject(value)) return value;
  const { nullable, example: _, description: __, ...rest } = value;
  const plain: Json =
    typeof rest['$ref'] === 'string'
      ? { $ref: rest['$ref'] }
      : Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, toJsonSchema(inner)]));
  if (plain['format'] === 'date') plain['format'] = 'date-time';
  // The validator's "url" knows no loopback addresses.
  if (plain['format'] === 'url') plain['format'] = 'uri';
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
};

const correctedSchemas = (schemas: Record<string, Json>): Record<string, unknown> => {
  const copy = structuredClone(schemas);
  for (const { schema, property, is } of corrections) {
    const properties = copy[schema]?.['properties'];
    if (!isObject(properties) || !(property in properties)) throw new Error(`No ${schema}.${property} to correct.`);
    properties[property] = is;
  }
  copy['Color'] = { enum: [...colours, null] };
  return Object.fromEntries(Object.entries(copy).map(([name, schema]) => [name, toJsonSchema(schema)]));
};

const description = Description.parse(
  JSON.parse(readFileSync(new URL('../board.openapi.json', import.meta.url), 'utf8')),
);
const ajv = new Ajv({ strict: false });
formats.default.default(ajv);
ajv.addSchema({ $id: 'board', components: { schemas: correctedSchemas(description.components.schemas) } });

type Route = { name: string; segments: string[]; shape: Json | undefined; validate?: ValidateFunction };
const methods = ['get', 'post', 'put', 'delete'];
const segmentsOf = (path: string): string[] => path.split('/').filter(Boolean);
const parameters = ({ segments }: Route): number => segments.filter((segment) => segment.startsWith('{')).length;

const described: Route[] = Object.entries(description.paths).flatMap(([path, operations]) =>
  methods
    .filter((method) => method in operations)
    .map((method) => {
      const name = `${method.toUpperCase()} ${path}`;
      const told = Operation.parse(operations[method]).responses['200']?.content?.['application/json']?.schema;
      return { name, segments: segmentsOf(path), shape: answerCorrections[name]?.is ?? told ?? untold[name] };
    }),
);
const added: Route[] = undescribed.map(({ operation, is }) => ({
  name: operation,
  segments: segmentsOf(operation.slice(operation.indexOf(' ') + 1)),
  shape: is,
}));

const unknown = [...Object.keys(answerCorrections), ...Object.keys(untold)].filter(
  (name) => !described.some((route) => route.name === name),
);
if (unknown.length > 0) throw new Error(`Not in the description: ${unknown.join(', ')}.`);

const table = Map.groupBy([...described, ...added], ({ name, segments }) => `${name.split(' ')[0]} ${segments.length}`);
for (const row of table.values()) row.sort((a, b) => parameters(a) - parameters(b));

const routeFor = (method: string, path: string): Route | undefined => {
  const given = segmentsOf(path);
  return table
    .get(`${method} ${given.length}`)
    ?.find(({ segments }) => segments.every((segment, at) => segment.startsWith('{') || segment === given[at]));
};

const validatorOf = (route: Route, shape: Json): ValidateFunction => {
  const schema = JSON.parse(JSON.stringify(toJsonSchema(shape)).replaceAll('"#/', '"board#/'));
  route.validate ??= ajv.compile(schema);
  return route.validate;
};

/** The described operations that were answered so far. */
export const covered = new Set<string>();

/** A refusal is a plain sentence or `{message, error}`. */
const refusalProblem = ({ contentType, body }: Exchange): string | undefined => {
  if (contentType.startsWith('text/plain')) return body.length === 0 ? 'an empty sentence' : undefined;
  if (!contentType.startsWith('application/json')) return `refused with ${contentType}`;
  const parsed: unknown = JSON.parse(body.toString());
  const fine = isObject(parsed) && typeof parsed['message'] === 'string' && typeof parsed['error'] === 'string';
  return fine ? undefined : 'a refusal without message and error';
};

const shapeProblem = (method: string, path: string, value: () => unknown, contentType: string): string | undefined => {
  const route = routeFor(method, path);
  if (route === undefined) return 'neither described nor listed as undescribed';
  covered.add(route.name);
  if (route.shape === undefined) return undefined;
  if (!contentType.startsWith('application/json')) return `answered ${contentType}`;
  const validate = validatorOf(route, route.shape);
  if (validate(value())) return undefined;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath ?? ''} ${first?.message ?? ''} ${JSON.stringify(first?.params ?? {})}`;
};

/** Each part of a batch is an answer of its own. */
const batchProblems = (query: URLSearchParams, parts: unknown): string[] =>
  (query.get('urls') ?? '').split(',').flatMap((url, at) => {
    const part: unknown = Array.isArray(parts) ? parts[at] : undefined;
    if (!isObject(part)) return [`no answer to ${url}`];
    if (!('200' in part)) return [];
    const path = url.replace(/%3F.*|\?.*/i, '');
    const problem = shapeProblem('GET', path, () => part['200'], 'application/json');
    return problem === undefined ? [] : [`${url}: ${problem}`];
  });

export const judge = {
  describes: (url: string): boolean => url.startsWith('/1/') && !pages.test(url),
  problems: (exchange: Exchange): string[] => {
    const { method, url, status, contentType, body } = exchange;
    const { pathname, searchParams } = new URL(url, 'http://sandbox');
    const path = pathname.slice('/1'.length);
    const value = (): unknown => JSON.parse(body.toString());
    const problem = status >= 400 ? refusalProblem(exchange) : shapeProblem(method, path, value, contentType);
    const parts = path === '/batch' && status === 200 ? batchProblems(searchParams, value()) : [];
    return [...(problem === undefined ? [] : [problem]), ...parts];
  },
};
