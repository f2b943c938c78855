import { isIP } from 'node:net';
import { Agent, type buildConnector, request } from 'undici';
import type { Clock } from '#clock';
import { Fault, waitAsked } from '#kit';

/** Where deliveries may go. The connection itself is guarded, because only then is the address known that a name leads to. */
export type Outside = {
  connect: buildConnector.connector;
  mayReach(address: string): boolean;
  /** This machine may be called without TLS: the sandbox. */
  plainLoopback: boolean;
};

const refuse = (why: string): never => {
  throw new Fault('invalid_input', `url ${why}`, { details: { fields: [{ field: 'url', message: why }] } });
};

const ownMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** The address in one spelling, or a refusal that says what is wrong with it. */
export const receiverUrl = (text: string, { mayReach, plainLoopback }: Outside): string => {
  const url = URL.parse(text) ?? refuse('must be an address such as https://example.com/hooks.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plainLoopback && ownMachine(host))) {
    refuse('must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') refuse('must not hold a user name or password.');
  if (url.hash !== '') refuse('must not hold a fragment.');
  if (isIP(host) !== 0 && !mayReach(host))
    refuse('leads into a private network; use an address that the world can reach.');
  return url.href;
};

/** What a receiver answered, or why there is no answer. */
export type Reception =
  | { status: number; response: string; retryAfterMs?: number | undefined }
  | { status?: undefined; error: string };

/** Brings one message to one address. */
export type Receiver = {
  post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Reception>;
  close(): Promise<void>;
};

const patienceMs = 10_000;
const enoughBytes = 2_000;
const keptCharacters = 500;

/** The beginning of an answer. Its status already counts, so trouble with the rest does not. */
const beginningOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= enoughBytes) break;
    }
  } catch {
    // Kept as far as it came.
  }
  return Buffer.concat(chunks).toString().slice(0, keptCharacters).toWellFormed();
};

/** Calls receivers. Redirects are answers like any other: nothing is followed. */
export const createReceiver = ({ outside, clock }: { outside: Outside; clock: Clock }): Receiver => {
  // No bound per origin: many webhooks may share one, and a slow one must not take the others' turn.
  const agent = new Agent({ connect: outside.connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  return {
    post: async (url, headers, body, signal) => {
      const stop = new AbortController();
      const answered = new AbortController();
      const abort = (): void => stop.abort(signal.reason);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      let late = false;
      void clock.sleep(patienceMs, answered.signal).then(() => {
        late = !answered.signal.aborted;
        stop.abort();
      });
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Switchboard-Webhooks' },
          body,
          signal: stop.signal,
        });
        answer.body.on('error', () => {});
        const { 'retry-after': retryAfter, date } = answer.headers;
        const retryAfterMs = waitAsked({ retryAfter, date });
        return { status: answer.statusCode, response: await beginningOf(answer.body), retryAfterMs };
      } catch (error) {
        if (signal.aborted) throw error;
        if (late) return { error: `No answer within ${patienceMs / 1_000} s.` };
        return { error: (error instanceof Error ? error.message : String(error)).slice(0, 300) };
      } finally {
        answered.abort('answered');
        signal.removeEventListener('abort', abort);
      }
    },
    close: () => agent.destroy(),
  };
};
