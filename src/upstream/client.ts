import { Agent, type Dispatcher, Pool } from 'undici';
import type { Clock } from '#clock';
import { Fault } from '#kit';
import type { Log } from '#log';
import { decodeBody, encodeBody } from './body.ts';
import { Brake } from './brake.ts';
import { targetWithin, uploadTarget } from './cage.ts';
import { exchange } from './exchange.ts';
import { guardedConnector } from './guard.ts';
import { headersFor, headersFrom } from './headers.ts';
import { faultFor, NoAnswer } from './no-answer.ts';
import { type Described, templateOf, traced } from './trace.ts';
import type { CallBounds, PartOfUpload, TimedAnswer, UpstreamCall, UpstreamClient } from './types.ts';
import { createUnrepeated } from './unrepeated.ts';

const defaultDeadlineMs = 30_000;
const defaultMaxBytes = 10 * 1024 * 1024;
const waitingPerConnection = 16;

// Timers of one length share a list in Node. Never later than asked: a deadline is what a write's outcome is judged by.
const evenly = (ms: number): number => (ms > 1_000 ? ms - (ms % 50) : ms);

/** The one HTTP client of the house. It signs, keeps to the cage, to the deadline and to the size, and repeats nothing. */
export const createUpstreamClient = (options: {
  clock: Clock;
  log: Log;
  /** Open connections to each service. */
  connections?: number;
  /** The sandbox's services live on loopback. */
  allowPrivate?: boolean;
}): UpstreamClient => {
  const { clock, log, connections = 128, allowPrivate = false } = options;
  const pools = new Map<string, Pool>();
  const open = new Set<Brake>();
  const wire = {
    pipelining: 1,
    connect: guardedConnector({ allowPrivate, timeoutMs: 10_000 }),
    // The deadline of the whole call stands for both.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  // Where uploads go is the services' choice, so nothing is kept for an address that is no longer used.
  const elsewhere = new Agent({ ...wire, connections: 8 });
  let closed = false;

  const poolFor = (origin: string): Pool => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, { ...wire, connections });
    pools.set(origin, pool);
    return pool;
  };

  /** Sends what was checked, until it is answered, its time is over, or somebody stops it. */
  const send = async (dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, call: CallBounds) => {
    if (open.size >= connections * waitingPerConnection) throw new NoAnswer('busy', false);
    const brake = new Brake();
    const abort = (): void => brake.pull('aborted');
    open.add(brake);
    if (call.signal?.aborted === true) abort();
    call.signal?.addEventListener('abort', abort);
    const callOff = clock.after(evenly(call.deadlineMs ?? defaultDeadlineMs), () => brake.pull('deadline'));
    try {
      return await exchange(dispatcher, request, {
        brake,
        maxBytes: call.maxBytes ?? defaultMaxBytes,
        into: call.into,
      });
    } finally {
      open.delete(brake);
      call.signal?.removeEventListener('abort', abort);
      callOff();
    }
  };

  /** Sends it, and tells the log and the trace about it. */
  const carry = (
    dispatcher: Dispatcher,
    request: Dispatcher.DispatchOptions,
    describe: () => Described,
    read: boolean,
    options: CallBounds,
    signature?: string,
  ): Promise<TimedAnswer> =>
    traced(describe, async (span) => {
      const began = performance.now();
      const ms = (): number => Math.round(performance.now() - began);
      try {
        const unrepeated = createUnrepeated(signature);
        const stream = options.into && unrepeated.stream(options.into);
        const answer = await send(dispatcher, request, { ...options, into: stream?.into });
        await stream?.end();
        span.setAttribute('http.response.status_code', answer.status);
        if (log.isLevelEnabled('debug'))
          log.debug({ ...describe(), status: answer.status, ms: ms() }, 'upstream answered');
        const type = answer.headers['content-type'];
        return {
          status: answer.status,
          headers: unrepeated.headers(headersFrom(answer.headers)),
          body: decodeBody(unrepeated.body(answer.body), Array.isArray(type) ? type[0] : type),
          ms: ms(),
          bytes: answer.body.length,
        };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        log.warn({ ...describe(), reason: error.reason, sent: error.sent, ms: ms() }, 'upstream did not answer');
        throw faultFor(error, read, options.maxBytes ?? defaultMaxBytes);
      }
    });

  const ending = () => new Fault('upstream_unavailable', 'This process is ending; nothing was sent. Try again.');

  const ready: UpstreamClient['ready'] = ({ base, request, effect, template, headers: own }) => {
    const path = targetWithin(base, request);
    const headers = headersFor(request.headers, own);
    const body = encodeBody(request, headers['content-type']);
    if (body !== undefined) headers['content-type'] = body.type;
    headers['accept-encoding'] = 'identity';
    headers['user-agent'] = 'switchboard';
    const read = effect === undefined ? request.method === 'GET' || request.method === 'HEAD' : effect === 'read';
    const { method } = request;
    const describe = () => ({ method, host: base.host, template: template ?? templateOf(request.path) });
    const wanted = { method, path, headers, body: body?.bytes ?? null, idempotent: false };
    return (how) =>
      closed
        ? Promise.reject(ending())
        : carry(poolFor(base.origin), wanted, describe, read, how, headers['authorization']);
  };

  const upload = async (
    { address, bytes, from, total }: PartOfUpload,
    { base, ...options }: Pick<UpstreamCall, 'base' | 'deadlineMs' | 'signal'>,
  ): Promise<TimedAnswer> => {
    const { origin, path } = uploadTarget(base, address);
    const headers = {
      'accept-encoding': 'identity',
      'user-agent': 'switchboard',
      'content-type': 'application/octet-stream',
      'content-range': `bytes ${from}-${from + bytes.byteLength - 1}/${total}`,
    };
    const describe = () => ({ method: 'PUT' as const, host: new URL(origin).host, template: '/{upload}' });
    const wanted = { origin, method: 'PUT' as const, path, headers, body: bytes, idempotent: false };
    return carry(elsewhere, wanted, describe, false, options);
  };

  return {
    ready,
    call: async (options) => ready(options)(options),
    upload: (part, options) => (closed ? Promise.reject(ending()) : upload(part, options)),
    async close() {
      closed = true;
      for (const brake of open) brake.pull('closed');
      await Promise.all([elsewhere, ...pools.values()].map((each) => each.destroy()));
    },
  };
};
