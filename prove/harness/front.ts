import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { freePort } from './processes.ts';

const Told = z.union([
  z.object({ action: z.object({ id: z.string() }) }).transform(({ action }) => [action.id]),
  z
    .object({ value: z.array(z.object({ resourceData: z.object({ id: z.string() }) })) })
    .transform(({ value }) => value.map(({ resourceData }) => resourceData.id)),
]);

const idsIn = (body: Buffer): string[] => {
  try {
    return Told.parse(JSON.parse(body.toString()));
  } catch {
    return [];
  }
};

/** Stands before several processes and keeps what they answered to the notifications of the services. */
export const startFront = async () => {
  const port = await freePort();
  let ports: readonly number[] = [];
  let turn = 0;
  const taken = new Set<string>();
  const statuses = new Map<number, number>();
  let slowestMs = 0;

  const note = (path: string, body: Buffer, status: number, ms: number): void => {
    if (!path.startsWith('/hooks/')) return;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, ms);
    if (status < 300) for (const id of idsIn(body)) taken.add(id);
  };

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): void => {
    const began = performance.now();
    const { method, url: path = '', headers } = incoming;
    const target = ports[turn++ % Math.max(1, ports.length)];
    const onward = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
      note(path, body, answer.statusCode ?? 0, performance.now() - began);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => {
      note(path, body, 0, performance.now() - began);
      outgoing.destroy();
    });
    onward.end(body);
  };

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    origin: `http://127.0.0.1:${port}`,
    use: (next: readonly number[]) => {
      ports = next;
    },
    /** Ids of what was told and taken. */
    taken: () => taken as ReadonlySet<string>,
    statuses: () => statuses as ReadonlyMap<number, number>,
    slowestMs: () => slowestMs,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
