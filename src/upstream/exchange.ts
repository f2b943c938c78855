import type { Dispatcher } from 'undici';
import { createAbreast, type Sink } from '#kit';
import type { Brake } from './brake.ts';
import { NotAllowed } from './guard.ts';
import { NoAnswer, type Silence } from './no-answer.ts';

const abreast = createAbreast();

type Headers = Record<string, string | string[] | undefined>;

export type RawAnswer = { status: number; headers: Headers; body: Buffer };

const wholeOf = (chunks: Buffer[]): Buffer => (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));

const malformed = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const silenceOf = (error: Error & { code?: string }, sent: boolean): Silence => {
  if (error instanceof NotAllowed) return 'not_allowed';
  const code = error.code ?? '';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'closed';
  if (malformed.has(code) || code.startsWith('HPE_')) return 'malformed';
  return sent ? 'lost' : 'connect';
};

/**
 * One exchange on the wire, at the lowest level undici offers: the only one that tells when the first byte of the request
 * is about to be written. Before that moment nothing was sent; after it, anything may have arrived.
 */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { brake, maxBytes, into }: { brake: Brake; maxBytes: number; into?: Sink | undefined },
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    let wire: Dispatcher.DispatchController | undefined;
    let settled = false;
    let status: number | undefined;
    let headers: Headers = {};
    const chunks: Buffer[] = [];
    let bytes = 0;
    /** The last piece that was handed on. */
    let taken: Promise<void> = Promise.resolve();

    const end = (outcome: RawAnswer | Silence): void => {
      if (settled) return;
      settled = true;
      if (typeof outcome !== 'string') return resolve(outcome);
      const failure = new NoAnswer(outcome, wire !== undefined, status);
      reject(failure);
      wire?.abort(failure);
    };
    const give = (sink: Sink, chunk: Buffer, controller: Dispatcher.DispatchController): void => {
      controller.pause();
      taken = sink(chunk).then(
        () => controller.resume(),
        (error: unknown) => {
          if (settled) return;
          settled = true;
          reject(error);
          controller.abort(error as Error);
        },
      );
    };
    brake.onPull(end);
    if (settled) return;
    try {
      dispatcher.dispatch(request, {
        onRequestStart(controller) {
          // undici puts a request back in its queue when its connection is reset in certain ways. Not here.
          if (settled || wire !== undefined) {
            end('lost');
            throw new Error('nothing is sent twice');
          }
          wire = controller;
        },
        onResponseStart(_, statusCode, received) {
          // Interim answers (103 and the like) precede the real one.
          if (statusCode < 200) return;
          status = statusCode;
          headers = received;
          if (Number(received['content-length']) > maxBytes && request.method !== 'HEAD') end('too_large');
        },
        onResponseData(controller, chunk) {
          // undici asks with an empty piece whether there is room again.
          if (settled || chunk.length === 0) return;
          bytes += chunk.length;
          if (bytes > maxBytes) return end('too_large');
          if (into !== undefined && status !== undefined && status < 300) give(into, chunk, controller);
          else chunks.push(chunk);
        },
        onResponseEnd() {
          const whole = status === undefined ? 'malformed' : { status, headers, body: wholeOf(chunks) };
          if (into !== undefined) return void taken.then(() => end(whole));
          if (settled || typeof whole === 'string') return end(whole);
          // It is here: whoever stops the call before it goes on comes too late to make its outcome unknown.
          settled = true;
          abreast(() => resolve(whole));
        },
        onResponseError(_, error) {
          end(silenceOf(error, wire !== undefined));
        },
      });
    } catch (error) {
      end(silenceOf(error as Error, false));
    }
  });
