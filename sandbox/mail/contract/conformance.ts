import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { segmentsOf } from '../router.ts';

/* Compares answers with the service's OpenAPI file (answers only; /users/{id}/… is /me/…). */

type Response = { content?: Record<string, unknown>; $ref?: string };
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { schemas: Record<string, { properties?: Record<string, unknown>; allOf?: unknown[] }> };
};

const document = JSON.parse(readFileSync(new URL('./answers.openapi.json', import.meta.url), 'utf8')) as Document;
// A type that derives from another would have to carry both names at once: its own is compared below instead.
for (const schema of Object.values(document.components.schemas)) {
  for (const part of (schema.allOf ?? []) as { properties?: Record<string, { const?: string }> }[]) {
    delete part.properties?.['@odata.type']?.const;
  }
}
const ajv = new Ajv2020({ strict: false, allErrors: false });
ajv.addFormat('date-time', fullFormats['date-time']);
ajv.addFormat('uuid', fullFormats.uuid);
ajv.addFormat('date', fullFormats.date);
ajv.addFormat('double', fullFormats.double);
ajv.addFormat('int32', {
  type: 'number',
  validate: (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 31,
});
// The file says base64url; the service itself sends the ordinary alphabet.
ajv.addFormat('base64url', /^[A-Za-z0-9+/_-]*={0,2}$/);
ajv.addSchema(document, 'contract');

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');
const compiled = new Map<string, ValidateFunction>();
const validator = (pointer: string): ValidateFunction => {
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` });
  compiled.set(pointer, known);
  return known;
};

/** Answers that the file does not describe, each with the reason. */
const exceptions: { path: RegExp; reason: string }[] = [
  { path: /^\/me\/mailFolders(\/.*)?\/\$count$/, reason: 'every collection has /$count; the file lists one of them' },
  { path: /^\/me\/calendars?(\/[^/]+)?$/, reason: 'the file is trimmed: changing a calendar is not in it' },
  {
    path: /^\/me\/calendars\/[^/]+\/events\/[^/]+$/,
    reason: 'the file is trimmed: one event below a calendar is not in it',
  },
  { path: /^\/me\/contactFolders(\/.*)?$/, reason: 'the file is trimmed: changing a contact folder is not in it' },
];

const isParam = (segment: string): boolean => segment.startsWith('{');
const templates = Object.keys(document.paths).map((template) => ({ template, segments: template.slice(1).split('/') }));

const templateFor = (segments: readonly string[]): string | undefined => {
  const fits = templates.filter(
    (one) =>
      one.segments.length === segments.length &&
      one.segments.every((segment, at) => {
        const given = segments[at] ?? '';
        return isParam(segment) ? !given.startsWith('$') : segment.toLowerCase() === given.toLowerCase();
      }),
  );
  // A literal beats a parameter.
  return fits.toSorted((a, b) => a.segments.filter(isParam).length - b.segments.filter(isParam).length)[0]?.template;
};

/** `/users/{id}/…` as `/me/…`, messages below a folder as messages, nested folders as folders. */
const normalized = (path: string): string[] => {
  let segments = segmentsOf(path).map((segment) => segment.replace(/\($/, ''));
  if (segments[0]?.toLowerCase() === 'users' && segments.length > 2) segments = ['me', ...segments.slice(2)];
  if (segments.includes('supportedTimeZones')) segments = segments.slice(0, segments.indexOf('supportedTimeZones') + 1);
  while (
    segments[1]?.toLowerCase() === 'mailfolders' &&
    segments[3]?.toLowerCase() === 'childfolders' &&
    segments.length > 4
  ) {
    segments.splice(2, 2);
  }
  const inFolder = segments[1]?.toLowerCase() === 'mailfolders' && segments[3]?.toLowerCase() === 'messages';
  const below = segments[4]?.toLowerCase();
  if (inFolder && below !== undefined && below !== 'delta' && below !== '$count') segments.splice(1, 2);
  return segments;
};

const propertyNames = new Map<string, Set<string>>();
const propertiesOf = (name: string): Set<string> => {
  const known = propertyNames.get(name);
  if (known !== undefined) return known;
  const names = new Set<string>();
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { $ref, properties, allOf } = schema as { $ref?: string; properties?: object; allOf?: unknown[] };
    if ($ref !== undefined) visit(document.components.schemas[$ref.split('/').at(-1) ?? '']);
    for (const key of Object.keys(properties ?? {})) names.add(key);
    for (const part of allOf ?? []) visit(part);
  };
  visit(document.components.schemas[name]);
  propertyNames.set(name, names);
  return names;
};

/** The schemas forbid nothing, so names are compared too: an entity has only the properties its type has. */
const strangers = (value: unknown, schema: string): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const known = propertiesOf(schema);
  return Object.keys(value).filter((key) => !key.includes('@') && !known.has(key));
};

const entityOf = (schema: unknown): { name: string; collection: boolean } | undefined => {
  const name = (schema as { $ref?: string } | undefined)?.$ref?.split('/').at(-1);
  const collection = /^(.*)CollectionResponse$/.exec(name ?? '')?.[1];
  if (collection !== undefined) return { name: collection, collection: true };
  return name === undefined ? undefined : { name, collection: false };
};

const namesOf = (body: unknown, schema: unknown): string[] => {
  const entity = entityOf(schema);
  if (entity === undefined || !(entity.name in document.components.schemas)) return [];
  const items = entity.collection ? ((body as { value?: unknown[] }).value ?? []) : [body];
  return items.flatMap((item) => {
    const type = (item as Record<string, unknown>)['@odata.type'];
    const derived = typeof type === 'string' ? type.replace(/^#/, '') : entity.name;
    const name = derived in document.components.schemas ? derived : entity.name;
    const check = validator(`/components/schemas/${escaped(name)}`);
    const wrong = check(item) ? [] : [`as ${name}: ${ajv.errorsText(check.errors)}`];
    return [...wrong, ...strangers(item, name).map((key) => `${name} has no property '${key}'`)];
  });
};

const problemsAs = (schema: string, body: unknown): string[] => {
  const check = validator(`/components/schemas/${schema}`);
  return check(body) ? [] : [ajv.errorsText(check.errors)];
};

const errorProblems = (body: unknown): string[] => problemsAs('microsoft.graph.ODataErrors.ODataError', body);

/**
 * What is wrong with an answer, in words; nothing if it conforms. `path` is below /v1.0, without the query; a body that
 * is not JSON is text.
 */
export const problemsOf = (method: string, path: string, status: number, body: unknown): string[] => {
  const where = `${method} ${path} → ${status}`;
  if (status >= 400) return errorProblems(body).map((text) => `${where}: ${text}`);
  const segments = normalized(path);
  const template = templateFor(segments);
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) {
    const known = exceptions.some((exception) => exception.path.test(`/${segments.join('/')}`));
    return known ? [] : [`${where}: not in the contract`];
  }
  const answer = operation.responses[String(status)];
  if (answer === undefined) return status === 304 ? [] : [`${where}: status not in the contract`];
  const json = answer.content?.['application/json'] as { schema?: unknown } | undefined;
  if (json === undefined)
    return answer.content === undefined && body !== undefined ? [`${where}: no body is allowed`] : [];
  if (typeof body !== 'object') return [`${where}: not JSON`];
  const pointer = [
    'paths',
    template,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ];
  const check = validator(`/${pointer.map((part) => encodeURIComponent(escaped(part))).join('/')}`);
  const wrong = check(body) ? [] : [ajv.errorsText(check.errors)];
  return [...wrong, ...namesOf(body, json.schema)].map((text) => `${where}: ${text}`);
};

/** What is wrong with a notification the sandbox posts. */
export const notificationProblems = (body: unknown): string[] =>
  problemsAs('microsoft.graph.changeNotificationCollection', body);

/** What is wrong with an answer of an upload session's own address. */
export const uploadProblems = (status: number, body: unknown): string[] => {
  if (status >= 400) return errorProblems(body);
  if (status === 200) return problemsAs('microsoft.graph.uploadSession', body);
  return body === undefined ? [] : ['no body is allowed'];
};
