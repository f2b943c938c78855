import type { Call } from './call.ts';
import { isId, isShortLink } from './ids.ts';

export type Scope =
  | 'read:board'
  | 'write:board'
  | 'write:board:membership'
  | 'read:organization'
  | 'write:organization'
  | 'read:member'
  | 'write:member';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a run may answer instead of JSON. */
export class Raw {
  readonly body: Uint8Array;
  readonly headers: Record<string, string>;
  constructor(body: Uint8Array, headers: Record<string, string>) {
    this.body = body;
    this.headers = headers;
  }
}

export type Endpoint = {
  method: Method;
  path: string;
  /** OAuth 2.0 scopes; a key's token needs `read`, or `write` for anything but GET. */
  scopes: readonly Scope[];
  run: (call: Call) => unknown;
};

const endpoint =
  (method: Method) =>
  (path: string, scopes: readonly Scope[], run: Endpoint['run']): Endpoint => ({ method, path, scopes, run });

export const get = endpoint('GET');
export const post = endpoint('POST');
export const put = endpoint('PUT');
export const del = endpoint('DELETE');

type Compiled = Endpoint & { segments: string[]; params: number };

/** How the path names a thing says which spellings are well formed. */
const wellFormed = (name: string, value: string): boolean => {
  if (name === 'card' || name === 'board') return isId(value) || isShortLink(value);
  if (name.startsWith('id')) return isId(value);
  return value !== '';
};

export type Match = { endpoint: Endpoint; params: Record<string, string>; wellFormed: boolean };

/** Finds the endpoint for a method and path; a literal segment goes before a parameter. */
export class Router {
  #table = new Map<string, Compiled[]>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const one of endpoints) {
      const segments = one.path.split('/').slice(1);
      const params = segments.filter((segment) => segment.startsWith(':')).length;
      const key = `${one.method} ${segments.length} ${segments[0]}`;
      const row = this.#table.get(key) ?? [];
      row.push({ ...one, segments, params });
      this.#table.set(key, row);
    }
    for (const row of this.#table.values()) row.sort((a, b) => a.params - b.params);
  }

  match(method: string, path: string): Match | undefined {
    const given = path.split('/').slice(1);
    if (given.length > 1 && given[given.length - 1] === '') given.pop();
    for (const candidate of this.#table.get(`${method} ${given.length} ${given[0]}`) ?? []) {
      const match = this.#fit(candidate, given);
      if (match) return match;
    }
    return undefined;
  }

  #fit(candidate: Compiled, given: string[]): Match | undefined {
    const params: Record<string, string> = {};
    let fine = true;
    for (const [index, segment] of candidate.segments.entries()) {
      const value = given[index] ?? '';
      if (!segment.startsWith(':')) {
        if (segment !== value) return undefined;
        continue;
      }
      const name = segment.slice(1);
      params[name] = decode(value);
      fine &&= wellFormed(name, params[name]);
    }
    return { endpoint: candidate, params, wellFormed: fine };
  }
}

const decode = (segment: string): string => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
