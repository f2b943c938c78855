/** One request as it arrived. Paths are stored with credentials already redacted. */
export type LoggedRequest = {
  seq: number;
  at: string;
  method: string;
  path: string;
  status: number;
  user: string | null;
  ms: number;
};

/** The oldest tenth is forgotten beyond this, so that long load tests stay small. */
const capacity = 300_000;

/** The truth about what arrived; tests count here. */
export class RequestLog {
  #items: LoggedRequest[] = [];
  #seq = 0;

  add(entry: Omit<LoggedRequest, 'seq'>): void {
    this.#items.push({ seq: ++this.#seq, ...entry });
    if (this.#items.length > capacity) this.#items.splice(0, capacity / 10);
  }

  list(since = 0, path?: string): LoggedRequest[] {
    const [first] = this.#items;
    const start = first === undefined ? 0 : Math.max(0, since - first.seq + 1);
    const items = this.#items.slice(start);
    return path === undefined ? items : items.filter((item) => item.path.includes(path));
  }

  /** The last few that matter, latest first; never looks at more than it must. */
  latest(count: number, matters: (entry: LoggedRequest) => boolean): LoggedRequest[] {
    const found: LoggedRequest[] = [];
    for (let at = this.#items.length - 1; at >= 0 && found.length < count; at--) {
      const entry = this.#items[at];
      if (entry !== undefined && matters(entry)) found.push(entry);
    }
    return found;
  }

  clear(): void {
    this.#items = [];
  }
}
