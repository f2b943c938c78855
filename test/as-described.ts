import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { readDocument, type Schema } from '../scripts/client/document.ts';

/* Holds answers of the API against its description: status, type, fields, and nothing besides. */

type Answered = { status: number; type: string; body: unknown };

const places = { closed: '#/components/schemas/', open: '#/components/open/' };

const each = <T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** The same schema, refusing fields that it does not name; `open` leaves that to whatever it is a part of. */
const closed = (schema: Schema, { open = false } = {}): Schema => {
  const { $ref, properties, items, additionalProperties: more, allOf } = schema;
  if ($ref !== undefined) return open ? { ...schema, $ref: $ref.replace(places.closed, places.open) } : schema;
  const end = open || more !== undefined ? {} : { unevaluatedProperties: false };
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: each(properties, (inner) => closed(inner)), ...end }),
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(typeof more === 'object' ? { additionalProperties: closed(more) } : {}),
    ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf.map((inner) => closed(inner, { open })) }),
    ...(schema.oneOf === undefined ? {} : { oneOf: schema.oneOf.map((inner) => closed(inner, { open })) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map((inner) => closed(inner, { open: true })), ...end }),
  };
};

const judge = () => {
  const { paths, components } = readDocument();
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default.default(ajv);
  const schemas = each(components.schemas, (schema) => closed(schema));
  const open = each(components.schemas, (schema) => closed(schema, { open: true }));
  ajv.addSchema({ $id: 'api:', components: { schemas, open } });
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        method: method.toUpperCase(),
        place: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        // Names before ids: `/v1/triggers/preview` is no trigger.
        ids: path.split('{').length,
        responses,
      })),
    )
    .toSorted((one, other) => one.ids - other.ids);
  const checks = new Map<Schema, ValidateFunction>();
  const checkOf = (schema: Schema): ValidateFunction => {
    const known = checks.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(closed(schema)).replaceAll('"#/', '"api:#/');
    const check = ajv.compile(JSON.parse(text) as object);
    checks.set(schema, check);
    return check;
  };

  return (method: string, path: string, { status, type, body }: Answered): string[] => {
    const { pathname } = new URL(path, 'http://here');
    const operation = operations.find((known) => known.method === method && known.place.test(pathname));
    // What is no operation has nothing that it could differ from.
    if (operation === undefined) return [];
    const response = operation.responses[status];
    if (response === undefined) return [`${status} is not described`];
    if (response.content === undefined) return body === '' ? [] : [`${status} has a body that is not described`];
    const told = response.content[type] ?? response.content['*/*'];
    if (told === undefined) return [`${status} comes as "${type}", which is not described`];
    if (told.schema === undefined || type !== 'application/json') return [];
    const check = checkOf(told.schema);
    if (check(body)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message = '', params }) => `${status} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
};

let judging: ReturnType<typeof judge> | undefined;

/** What is wrong with an answer, seen from the API's own description. */
export const misfitsOf = (method: string, path: string, answer: Answered): string[] => {
  judging ??= judge();
  return judging(method, path, answer);
};
