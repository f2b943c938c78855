import type { Clock } from '#clock';
import { type Content, Fault, type UploadWay, type UpstreamAnswer } from '#kit';
import { isAmbiguous, type PartOfUpload } from '#upstream';

/** What an upload is made with. */
export type Means = {
  way: UploadWay;
  content: Content;
  clock: Clock;
  signal: AbortSignal | undefined;
  /** Opens an upload; one that is never finished leaves nothing behind, so it may be repeated. */
  open(): Promise<UpstreamAnswer>;
  /** Sends a part. With the last one it happens. */
  send(part: PartOfUpload, isLast: boolean): Promise<UpstreamAnswer>;
};

const mostSessions = 3;
const mostFailures = 4;
const longestWaitMs = 10_000;
const worthAnother = new Set(['upstream_unavailable', 'rate_limited', 'outcome_unknown']);

const stuck = () =>
  new Fault('upstream_unavailable', 'The service did not take the file; nothing was attached. Try again later.');
const unconfirmed = () => new Fault('outcome_unknown', 'The service did not confirm the last part of the file.');

/**
 * Sends content in parts. Until the last part nothing has happened, whatever failed, and every part may be sent again. Ends
 * with the answer that completed it, with a refusal of the opening, or with a Fault: `outcome_unknown` only where the last
 * part may have arrived.
 */
export const uploadInParts = async ({ way, content, clock, signal, open, send }: Means): Promise<UpstreamAnswer> => {
  let failures = 0;
  /** Whether the last part may have arrived. */
  let inDoubt = false;

  const waitOrGiveUp = async (cause?: Fault): Promise<void> => {
    failures += 1;
    const ending = signal?.aborted === true;
    if (failures >= mostFailures || ending) {
      if (inDoubt) throw unconfirmed();
      if (ending) throw new Fault('unavailable', 'This process is ending; the run goes on elsewhere.');
      throw cause === undefined || isAmbiguous(cause) ? stuck() : cause;
    }
    await clock.sleep(Math.min(longestWaitMs, cause?.retryAfterMs ?? 250 * 2 ** failures), signal);
  };

  /** The answer, or undefined where it failed and may be tried again. */
  const attempt = async (call: () => Promise<UpstreamAnswer>, isLast = false): Promise<UpstreamAnswer | undefined> => {
    let cause: Fault | undefined;
    try {
      const answer = await call();
      if (answer.status < 500 && answer.status !== 429) return answer;
      inDoubt ||= isLast && answer.status >= 500;
    } catch (error) {
      if (!(error instanceof Fault) || !worthAnother.has(error.code)) throw error;
      inDoubt ||= isLast && isAmbiguous(error);
      cause = error;
    }
    await waitOrGiveUp(cause);
    return undefined;
  };

  const opened = async (): Promise<UpstreamAnswer> => (await attempt(open)) ?? opened();

  /** Sends all parts; undefined where the service lost track of them. */
  const sendParts = async (address: string): Promise<UpstreamAnswer | undefined> => {
    let at = 0;
    let repeated = false;
    while (at < content.size) {
      const to = Math.min(content.size, at + way.partBytes);
      const isLast = to === content.size;
      const part = { address, bytes: await content.slice(at, to), from: at, total: content.size };
      const answer = await attempt(() => send(part, isLast), isLast);
      if (answer === undefined) {
        repeated = true;
        continue;
      }
      const said = way.readPart(answer);
      if (typeof said === 'object' && 'made' in said) {
        if (isLast) return { ...answer, body: said.made };
        // It cannot be complete without the rest: a gateway may have said so.
        return undefined;
      }
      // It has the last part, or has forgotten the upload: both are how a completed one looks.
      if (isLast && inDoubt) throw unconfirmed();
      const next: number = typeof said === 'object' ? said.next : said === 'had' && repeated ? to : at;
      if (next <= at) return undefined;
      [at, repeated, failures] = [next, false, 0];
    }
    // It took everything, and did not say that it is complete.
    throw unconfirmed();
  };

  for (let session = 1; session <= mostSessions; session += 1) {
    const answer = await opened();
    if (answer.status >= 300) return answer;
    const address = way.addressIn(answer.body);
    if (address === undefined) throw stuck();
    const done = await sendParts(address);
    if (done !== undefined) return done;
  }
  throw stuck();
};
