/** One request as it arrived, credentials redacted. */
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

/** As it is noted: cheap to make, since every request pays for it. */
export type Noted = { at: number; method: string; path: string; status: number; user: string | null; ms: number };

const credentials = /([?&](?:key|token|access_token|code|client_secret|refresh_token)=)[^&]*|(\/1\/tokens\/)[^/?]+/gi;
export const redact = (path: string): string => path.replace(credentials, (_, query, token) => `${query ?? token}…`);

/** The truth about what arrived; tests count here. */
export class RequestLog {
  #items: Noted[] = [];
  /** The seq of the first item kept. */
  #first = 1;

  add(entry: Noted): void {
    this.#items.push(entry);
    if (this.#items.length <= capacity) return;
    this.#items.splice(0, capacity / 10);
    this.#first += capacity / 10;
  }

  list(since = 0, path?: string): LoggedRequest[] {
    const start = Math.max(0, since - this.#first + 1);
    const items = this.#items.slice(start).map((entry, at) => shown(entry, this.#first + start + at));
    return path === undefined ? items : items.filter((item) => item.path.includes(path));
  }

  /** The last few that matter, latest first; never looks at more than it must. */
  latest(count: number, matters: (path: string) => boolean): LoggedRequest[] {
    const found: LoggedRequest[] = [];
    for (let at = this.#items.length - 1; at >= 0 && found.length < count; at--) {
      const entry = this.#items[at];
      if (entry !== undefined && matters(entry.path)) found.push(shown(entry, this.#first + at));
    }
    return found;
  }

  clear(): void {
    this.#first += this.#items.length;
    this.#items = [];
  }
}

const shown = ({ at, method, path, status, user, ms }: Noted, seq: number): LoggedRequest => ({
  seq,
  at: new Date(at).toISOString(),
  method,
  path: redact(path),
  status,
  user,
  ms: Math.round(ms * 10) / 10,
});
