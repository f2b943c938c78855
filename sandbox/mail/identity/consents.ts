/**
 * Which scopes each person has granted to each app; grants add up. An administrator's grant for everyone is kept the
 * same way under the tenant's id.
 */
export class Consents {
  #granted = new Map<string, Set<string>>();

  of(userId: string, clientId: string): ReadonlySet<string> {
    return this.#granted.get(`${userId} ${clientId}`) ?? new Set();
  }

  add(userId: string, clientId: string, scopes: Iterable<string>): void {
    const key = `${userId} ${clientId}`;
    const granted = this.#granted.get(key) ?? new Set();
    for (const scope of scopes) granted.add(scope);
    this.#granted.set(key, granted);
  }

  /** Without a client, every app loses what the person (or tenant) granted. */
  withdraw(userId: string, clientId?: string): void {
    for (const key of this.#granted.keys()) {
      if (key === `${userId} ${clientId}` || (clientId === undefined && key.startsWith(`${userId} `)))
        this.#granted.delete(key);
    }
  }

  reset(): void {
    this.#granted.clear();
  }

  snapshot(): [string, string[]][] {
    return [...this.#granted].map(([key, scopes]) => [key, [...scopes]]);
  }

  restore(snapshot: [string, string[]][]): void {
    this.#granted = new Map(snapshot.map(([key, scopes]) => [key, new Set(scopes)]));
  }
}
