import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that a whole run of tests shares, and how it ends. */
export type Shared<Terms> = { terms: Terms; close(): Promise<void> };

/** Where test files ask for what they share; each thing is made when the first of them asks, as many runs need none. */
export const openDesk = async (makers: Record<string, () => Promise<Shared<unknown>>>) => {
  const made = new Map<string, Promise<Shared<unknown>>>();
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1);
    const make = makers[name];
    if (make === undefined) return void response.writeHead(404).end(`nothing here is called ${name}`);
    const shared = made.get(name) ?? make();
    made.set(name, shared);
    shared.then(
      ({ terms }) => response.end(JSON.stringify(terms)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      for (const shared of made.values()) await (await shared.catch(() => undefined))?.close();
    },
  };
};
