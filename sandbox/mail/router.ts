import { badRequest, GraphError, noSuchSegment } from './graph-error.ts';
import type { GraphRoute } from './route.ts';

type Node = {
  literal: Map<string, Node>;
  param: Node | undefined;
  routes: Map<string, GraphRoute & { names: string[] }>;
};
const newNode = (): Node => ({ literal: new Map(), param: undefined, routes: new Map() });

export type Match = { route: GraphRoute; params: Record<string, string> };

const called = /^([\w.$-]+)\((.*)\)$/s;

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('The request URI is not valid.');
  }
};

/**
 * `mailFolders('Inbox')/messages` and `mailFolders/Inbox/messages` become the same segments; namespaces before
 * functions go, arguments of functions stay with their name.
 */
export const segmentsOf = (path: string): string[] => {
  const segments: string[] = [];
  for (const written of path.split('/')) {
    if (written === '') continue;
    const segment = decode(written);
    const [, name, inner] = called.exec(segment) ?? [];
    if (name === undefined || inner === undefined) segments.push(segment.replace(/^microsoft\.graph\./i, ''));
    else if (inner === '') segments.push(name.replace(/^microsoft\.graph\./i, ''));
    else if (/^'.*'$/s.test(inner)) segments.push(name, inner.slice(1, -1).replaceAll("''", "'"));
    else segments.push(`${name.replace(/^microsoft\.graph\./i, '')}(`, inner);
  }
  return segments;
};

/** Finds the route for a path below the mailbox. Names are matched without regard to letter case, ids are not touched. */
export class Router {
  #root = newNode();

  add(routes: readonly GraphRoute[]): this {
    for (const route of routes) {
      let node = this.#root;
      const names: string[] = [];
      for (const segment of route.path.split('/')) {
        if (segment.startsWith(':')) {
          names.push(segment.slice(1));
          node.param ??= newNode();
          node = node.param;
          continue;
        }
        const key = segment.toLowerCase();
        const next = node.literal.get(key) ?? newNode();
        node.literal.set(key, next);
        node = next;
      }
      node.routes.set(route.method, { ...route, names });
    }
    return this;
  }

  find(method: string, segments: readonly string[]): Match {
    let node = this.#root;
    const values: string[] = [];
    for (const segment of segments) {
      const literal = node.literal.get(segment.toLowerCase());
      if (literal !== undefined) {
        node = literal;
        continue;
      }
      if (node.param === undefined) throw noSuchSegment(segment);
      values.push(segment);
      node = node.param;
    }
    const route = node.routes.get(method);
    if (route !== undefined) {
      return { route, params: Object.fromEntries(route.names.map((name, at) => [name, values[at] ?? ''])) };
    }
    if (node.routes.size === 0) throw noSuchSegment(segments.at(-1) ?? '');
    throw new GraphError(405, 'MethodNotAllowed', `The method '${method}' is not allowed for this resource.`, {
      headers: { Allow: [...node.routes.keys()].join(', ') },
    });
  }
}
