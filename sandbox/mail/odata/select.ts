import { badRequest, GraphError } from '../graph-error.ts';
import { noSuchProperty } from './errors.ts';
import { castTarget, propertyOf } from './model.ts';

const failed = (message: string) => badRequest(`Parsing OData Select and Expand failed: ${message}`);

/** Splits on a character that is neither inside parentheses nor inside quotes. */
export const splitOutside = (text: string, separator: string): string[] => {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "'") quoted = !quoted;
    else if (quoted) continue;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === separator && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth < 0) break;
  }
  if (depth !== 0 || quoted) throw failed(`Syntax error at position ${text.length} in '${text}'.`);
  parts.push(text.slice(start));
  return parts;
};

/** The canonical names to return; undefined for all. A path inside a property returns the whole property. */
export const parseSelect = (text: string, entity: string): string[] | undefined => {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (names.length === 0 || names.includes('*')) return undefined;
  return [...new Set(names.map((name) => selected(name, entity)))];
};

const selected = (path: string, entity: string): string => {
  const segments = path.split('/');
  let type = entity;
  let first: string | undefined;
  for (const segment of segments) {
    const cast = first === undefined ? castTarget(segment) : undefined;
    if (cast !== undefined) {
      type = cast;
      continue;
    }
    if (!/^[a-z_]\w*$/i.test(segment)) throw failed(`Syntax error: character not valid in '${path}'.`);
    const property = propertyOf(type, segment);
    if (property === undefined) throw failed(noSuchProperty(segment, type));
    first ??= property.name;
    type = property.type;
  }
  if (first === undefined) throw failed(`Syntax error at position ${path.length} in '${path}'.`);
  return first;
};

export type ParsedExpand = { name: string; type: string; cast: string | undefined; options: URLSearchParams };

/** `attachments($select=id,name;$top=1),microsoft.graph.itemAttachment/item` */
export const parseExpand = (text: string, entity: string): ParsedExpand[] =>
  splitOutside(text, ',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, path = '', , inner] = /^([^()]*)(\(([\s\S]*)\))?$/.exec(part) ?? [];
      const segments = path.trim().split('/');
      const cast = segments.length > 1 ? castTarget(segments[0] ?? '') : undefined;
      const [name, extra] = cast === undefined ? segments : segments.slice(1);
      if (name === undefined || !/^[a-z_]\w*$/i.test(name)) throw failed(`Syntax error at position 0 in '${text}'.`);
      const property = propertyOf(cast ?? entity, name);
      if (property === undefined) throw failed(noSuchProperty(name, cast ?? entity));
      if (!property.navigation || extra !== undefined) throw notExpandable(property.name);
      return { name: property.name, type: property.type, cast, options: innerOptions(inner) };
    });

const notExpandable = (name: string) =>
  new GraphError(
    400,
    'ExpandNotSupported',
    `Expand is not allowed for property '${name}' according to the entity schema.`,
  );

const innerOptions = (text: string | undefined): URLSearchParams => {
  const options = new URLSearchParams();
  if (text === undefined) return options;
  for (const part of splitOutside(text, ';')) {
    const equals = part.indexOf('=');
    if (part.trim() === '') continue;
    if (equals < 0) throw failed(`Syntax error at position 0 in '${part}'.`);
    options.append(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return options;
};

/** The selected properties, with the id and the annotations that always come along. */
export const selectFields = <T extends object>(entity: T, select: readonly string[] | undefined): Partial<T> => {
  if (select === undefined) return entity;
  const kept = new Set(select);
  return Object.fromEntries(
    Object.entries(entity).filter(([name]) => kept.has(name) || name === 'id' || name.startsWith('@odata.')),
  ) as Partial<T>;
};
