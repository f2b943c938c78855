import { GraphError } from './graph-error.ts';

export type Limits = {
  off: boolean;
  /** Requests in ten minutes, per app and mailbox. */
  perMailbox: number;
  concurrent: number;
  /** Bytes written in five minutes. */
  incomingBytes: number;
};

export const documentedLimits: Limits = {
  off: false,
  perMailbox: 10_000,
  concurrent: 4,
  incomingBytes: 150 * 1024 * 1024,
};

type Window = { started: number; used: number };
type Bucket = { requests: Window; bytes: Window; running: number; peak: number };

const tenMinutes = 600_000;
const fiveMinutes = 300_000;

const over = (what: string, retryAfter: number): GraphError =>
  new GraphError(429, 'ApplicationThrottled', `Application is over its ${what} limit.`, {
    retryAfter: Math.max(1, Math.ceil(retryAfter)),
  });

/** Counts per app and mailbox. Requests made while throttled count too; other mailboxes are not affected. */
export class Throttle {
  limits: Limits = { ...documentedLimits };
  #buckets = new Map<string, Bucket>();
  #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  reset(): void {
    this.limits = { ...documentedLimits };
    this.#buckets.clear();
  }

  /** The most requests that ran at once, by app and mailbox: for measuring clients. */
  peaks(): Record<string, number> {
    return Object.fromEntries([...this.#buckets].map(([key, { peak }]) => [key, peak]));
  }

  /** A request arrives; call the answer when it is done. Whether it may be served is decided by `admit`. */
  arrive(key: string): { running: number; leave: () => void } {
    const bucket = this.#bucket(key);
    bucket.running++;
    bucket.peak = Math.max(bucket.peak, bucket.running);
    return {
      running: bucket.running,
      leave: () => {
        bucket.running--;
      },
    };
  }

  admit(key: string, running: number, bytes: number): void {
    if (this.limits.off) return;
    const bucket = this.#bucket(key);
    const now = this.#now();
    const wait = this.#take(bucket.requests, tenMinutes, this.limits.perMailbox, 1, now);
    if (wait > 0) throw over('MailboxRequests', wait / 1000);
    if (running > this.limits.concurrent) throw over('MailboxConcurrency', 1);
    if (bytes === 0) return;
    const bytesWait = this.#take(bucket.bytes, fiveMinutes, this.limits.incomingBytes, bytes, now);
    if (bytesWait > 0) throw over('IncomingBytes', bytesWait / 1000);
  }

  #take(window: Window, length: number, limit: number, amount: number, now: number): number {
    if (now - window.started >= length || now < window.started) {
      window.started = now;
      window.used = 0;
    }
    window.used += amount;
    return window.used > limit ? window.started + length - now : 0;
  }

  #bucket(key: string): Bucket {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      const started = this.#now();
      bucket = { requests: { started, used: 0 }, bytes: { started, used: 0 }, running: 0, peak: 0 };
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }
}
