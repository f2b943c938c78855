import { Fault, wrong } from './fault.ts';
import type { Path } from './path.ts';

/** An address below a service's base, parsed once. */
export type Endpoint = { path: Path; query: [string, string][] };

const controls = /[\u0000-\u001f\u007f-\u009f]/;

// A segment that is "." or "..", as servers read it that take what follows a ";" for a parameter.
const climbs = /(?:^|[/\\])\.{1,2}(?:;[^/\\]*)?(?:$|[/\\])/;

/** A segment, or a path of them, in which no escape hides a way out. */
export const staysInSegment = (given: string): boolean => {
  let text = given;
  // Some servers decode twice, so `%252e%252e` must not climb either.
  for (let round = 0; round < 3 && text.includes('%'); round += 1) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return !climbs.test(text);
};

const encodeSegment = (segment: string): string =>
  // What is already encoded stays as it is; what a path may hold unencoded stays readable.
  segment.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@]/gu, (text) =>
    /^%./.test(text) ? text : encodeURIComponent(text),
  );

const decode = (text: string, plusIsBlank: boolean): string => {
  const spaced = plusIsBlank ? text.replaceAll('+', ' ') : text;
  try {
    return decodeURIComponent(spaced.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw wrong('endpoint', 'The query of the endpoint holds escapes that are not UTF-8 text.');
  }
};

const plain = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;

const encodePath = (path: string): string => (plain.test(path) ? path : path.split('/').map(encodeSegment).join('/'));

const parseQuery = (query: string): [string, string][] => {
  if (query === '') return [];
  // Encoders leave no blanks: where there are some, a person typed the query, and a plus means a plus.
  const plusIsBlank = !query.includes(' ');
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [decode(name, plusIsBlank), decode(value, plusIsBlank)];
    });
};

/**
 * Reads an endpoint as a person types it: a path, with a query if need be. Odd but legal text (quotes, blanks, @, $,
 * unicode, escapes) reaches the service unchanged and encoded exactly once; whatever could lead elsewhere is refused.
 */
export const parseEndpoint = (endpoint: string): Endpoint => {
  const refuse = (why: string): never => {
    throw wrong('endpoint', `The endpoint ${why}.`);
  };
  if (!endpoint.isWellFormed()) refuse('holds half a character (a lone surrogate)');
  if (controls.test(endpoint)) refuse('holds a control character');
  if (!endpoint.startsWith('/')) refuse('must be a path that starts with "/", without scheme and host');
  if (endpoint.startsWith('//')) refuse('must start with a single "/"');
  if (endpoint.includes('#')) refuse('holds a "#"; write %23 if you mean the character');
  const at = endpoint.indexOf('?');
  const [path, query] = at < 0 ? [endpoint, ''] : [endpoint.slice(0, at), endpoint.slice(at + 1)];
  if (path.includes('\\')) refuse('holds a backslash; write %5C if you mean the character');
  if (/%(?:[01][0-9a-f]|7f)/i.test(path)) refuse('holds an encoded control character');
  if (!staysInSegment(path)) refuse('holds "." or ".." as a segment');
  return { path: encodePath(path) as Path, query: parseQuery(query) };
};

/** A parsed query as a request takes it; a name given several times keeps all its values. */
export const queryOf = (pairs: readonly (readonly [string, string])[]): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const earlier = query[name];
    query[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return query;
};

/** Reads a link out of an upstream answer (a next page, say): the same origin and below the base, or a Fault. */
export const linkWithin = (base: URL, link: string): Endpoint => {
  const refuse = (): never => {
    throw new Fault('upstream_rejected', 'The service answered with a link that leads outside its own address.');
  };
  const [, origin = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\\]*)?(\/.*)$/is.exec(link) ?? refuse();
  if (origin !== '') {
    const parsed = URL.parse(origin) ?? refuse();
    if (origin.includes('@') || controls.test(origin) || parsed.origin !== base.origin) refuse();
  }
  const prefix = base.pathname.replace(/\/+$/, '');
  if (!rest.startsWith(`${prefix}/`)) refuse();
  try {
    return parseEndpoint(rest.slice(prefix.length));
  } catch {
    return refuse();
  }
};
