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

const capacity = 1_000_000;

/** The truth about what arrived; tests count here. */
export class RequestLog {
  #items: LoggedRequest[] = [];
  #seq = 0;

  add(entry: Omit<LoggedRequest, 'seq'>): void {
    this.#items.push({ seq: ++this.#seq, ...entry });
    if (this.#items.length > capacity) this.#items.splice(0, capacity / 10);
  }

  list(since = 0, path?: string): LoggedRequest[] {
    return this.#items.filter((item) => item.seq > since && (path === undefined || item.path.includes(path)));
  }

  clear(): void {
    this.#items = [];
  }
}
