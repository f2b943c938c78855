/** What goes wrong on purpose, as told to `POST /_control/faults`. */
export type Fault = {
  id: string;
  match: { method?: string | undefined; path?: string | undefined };
  kind: 'status' | 'latency' | 'accept_then' | 'reset';
  status?: number | undefined;
  retryAfter?: number | undefined;
  ms?: number | undefined;
  /** How often it still strikes; absent means for ever. */
  times?: number | undefined;
  /** Share of matching requests that are struck, 0..1. */
  rate?: number | undefined;
};

const looksLikeRegex = /[\\^$*+?()[\]{}|]/;

/** Nothing if the text is a plain prefix; throws a SyntaxError if it is meant as an expression and is none. */
export const pathExpression = (pattern: string): RegExp | undefined =>
  looksLikeRegex.test(pattern) ? new RegExp(pattern) : undefined;

export class Faults {
  #faults: (Fault & { test: (path: string) => boolean })[] = [];
  #next = 1;

  add(fault: Omit<Fault, 'id'>): Fault {
    const pattern = fault.match.path;
    const expression = pattern === undefined ? undefined : pathExpression(pattern);
    const test = (path: string) =>
      pattern === undefined || path.startsWith(pattern) || (expression?.test(path) ?? false);
    const stored = { ...fault, id: `fault-${this.#next++}`, test };
    this.#faults.push(stored);
    return this.#plain(stored);
  }

  list(): Fault[] {
    return this.#faults.map((fault) => this.#plain(fault));
  }

  clear(): void {
    this.#faults = [];
  }

  /** The first fault that strikes this request; its count goes down. */
  strike(method: string, path: string): Fault | undefined {
    for (const fault of this.#faults) {
      if (fault.match.method !== undefined && fault.match.method.toUpperCase() !== method) continue;
      if (!fault.test(path)) continue;
      if (fault.rate !== undefined && Math.random() >= fault.rate) continue;
      if (fault.times !== undefined && --fault.times <= 0) this.#faults = this.#faults.filter((f) => f !== fault);
      return fault;
    }
    return undefined;
  }

  #plain({ test: _test, ...fault }: Fault & { test: unknown }): Fault {
    return fault;
  }
}
