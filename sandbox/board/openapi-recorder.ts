import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { z } from 'zod';
import type { SeenAnswer } from './api.ts';
import { answerCorrections, colours, corrections } from './openapi-corrections.ts';

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

type Route = { name: string; segments: string[]; validate: ValidateFunction | null };

const compile = (): Map<string, Route[]> => {
  const text = readFileSync(new URL('board.openapi.json', import.meta.url), 'utf8');
  const { paths, components } = Description.parse(JSON.parse(text));
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default.default(ajv);
  ajv.addSchema({ $id: 'board', components: { schemas: correctedSchemas(components.schemas) } });
  const routes = new Map<string, Route[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of ['get', 'post', 'put', 'delete'].filter((name) => name in operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const { responses } = Operation.parse(operations[method]);
      const described = answerCorrections[name]?.is ?? responses['200']?.content?.['application/json']?.schema;
      const schema = described && JSON.parse(JSON.stringify(toJsonSchema(described)).replaceAll('"#/', '"board#/'));
      const segments = path.split('/').filter(Boolean);
      const row = routes.get(`${method.toUpperCase()} ${segments.length}`) ?? [];
      row.push({ name, segments, validate: schema ? ajv.compile(schema) : null });
      routes.set(`${method.toUpperCase()} ${segments.length}`, row);
    }
  }
  const params = ({ segments }: Route) => segments.filter((segment) => segment.startsWith('{')).length;
  for (const row of routes.values()) row.sort((a, b) => params(a) - params(b));
  return routes;
};

let compiled: Map<string, Route[]> | undefined;

const routeFor = (method: string, path: string): Route | undefined => {
  compiled ??= compile();
  const given = path.split('/').filter(Boolean).slice(1);
  return compiled
    .get(`${method} ${given.length}`)
    ?.find(({ segments }) => segments.every((segment, at) => segment.startsWith('{') || segment === given[at]));
};

/** A refusal is a plain sentence or `{message, error}`. */
const refusalFault = ({ contentType, body }: SeenAnswer): string | undefined => {
  if (contentType.startsWith('text/plain')) return body === '' ? 'an empty sentence' : undefined;
  const parsed: unknown = JSON.parse(body);
  const fine = isObject(parsed) && typeof parsed['message'] === 'string' && typeof parsed['error'] === 'string';
  return fine ? undefined : 'a refusal without message and error';
};

/** Holds every answer against the vendor's description, as corrected. */
export class OpenApiRecorder {
  seen = 0;
  readonly covered = new Set<string>();
  readonly faults: string[] = [];

  readonly look = (answer: SeenAnswer): void => {
    this.seen += 1;
    const { method, path, status, body, contentType } = answer;
    const fault = status >= 400 ? refusalFault(answer) : this.#faultOf(method, path, contentType, body);
    if (fault !== undefined) this.faults.push(`${method} ${path} ${status}: ${fault}`);
  };

  #faultOf(method: string, path: string, contentType: string, body: string): string | undefined {
    const route = routeFor(method, path);
    if (!route) return undefined;
    this.covered.add(route.name);
    if (!contentType.startsWith('application/json')) return `answered ${contentType}`;
    const value: unknown = JSON.parse(body);
    if (!route.validate || route.validate(value)) return undefined;
    const [first] = route.validate.errors ?? [];
    return `${first?.instancePath ?? ''} ${first?.message ?? ''} ${JSON.stringify(first?.params ?? {})}`;
  }
}
