import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#clock';
import type { Intake } from '#events';
import type { Fault, Notification } from '#kit';
import type { Log } from '#log';
import { maxBytes } from './body-limits.ts';
import { answerTo, toFault } from './failures.ts';
import { fixedHeaders, type QuickDoor, readWhole } from './quick-parts.ts';
import { newRequestId } from './request-id.ts';
import type { Telemetry } from './telemetry.ts';

const route = '/hooks/:integration/:watch';
const place = /^\/hooks\/([a-z]{1,40})\/([\w-]{1,200})$/;

type Recognised = { integration: string; token: string };

/** A notification of a known and ordinary length. */
const recognise = ({ method, url = '', headers }: IncomingMessage): Recognised | undefined => {
  if (!url.startsWith('/hooks/')) return undefined;
  const length = Number(headers['content-length']);
  if (method !== 'POST' || !(length > 0 && length <= maxBytes)) return undefined;
  const [, integration, token] = place.exec(url) ?? [];
  return integration === undefined || token === undefined ? undefined : { integration, token };
};

const notificationOf = async (incoming: IncomingMessage): Promise<Notification> => ({
  method: 'POST',
  // Only cookies that are set come as lists, and those are in answers.
  headers: incoming.headers as Notification['headers'],
  query: new URLSearchParams(),
  bytes: await readWhole(incoming),
});

/** Notifications come in crowds, so most pass without the framework: the same answers as the app's own, made with less. */
export const createHookDoor = (options: {
  intake: Intake;
  telemetry: Pick<Telemetry, 'record'>;
  storageFault: (error: unknown) => Fault | undefined;
  publicUrl: URL;
  clock: Clock;
  log: Log;
}): QuickDoor => {
  const { intake, telemetry, storageFault, publicUrl, clock, log } = options;
  let fixed: string[] | undefined;
  void fixedHeaders(publicUrl).then((headers) => {
    fixed = headers;
  });

  const answerOf = async ({ integration, token }: Recognised, incoming: IncomingMessage, requestId: string) => {
    try {
      const { status, body = '' } = await intake(integration, token, await notificationOf(incoming));
      // Plain text, so that a token we repeat is never read as a page.
      return { status, text: body, headers: ['content-type', 'text/plain; charset=utf-8'] };
    } catch (error) {
      incoming.resume();
      const { status, headers, body } = answerTo(toFault(error, storageFault), { log, asked: { requestId } });
      const told = ['content-type', 'application/json', ...Object.entries(headers).flat()];
      return { status, text: JSON.stringify(body), headers: told };
    }
  };

  const serve = (recognised: Recognised, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const requestId = newRequestId(clock.now());
    return telemetry.record('POST', async () => {
      const { status, text, headers } = await answerOf(recognised, incoming, requestId);
      // What it has set off goes first: whoever told us has nothing to wait for but this answer.
      await nextTurn();
      const length = String(Buffer.byteLength(text));
      const own = ['x-request-id', requestId, 'content-length', length];
      outgoing.writeHead(status, [...(fixed ?? []), ...headers, ...own]);
      outgoing.end(text);
      return { route, status, asked: { requestId } };
    });
  };

  return (incoming, outgoing) => {
    const recognised = fixed === undefined ? undefined : recognise(incoming);
    if (recognised === undefined) return false;
    void serve(recognised, incoming, outgoing);
    return true;
  };
};
