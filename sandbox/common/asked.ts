import type { IncomingMessage } from 'node:http';

/** What needs no second look: no dots that lead upwards, nothing that would have to be escaped. */
const plainTarget = /^\/[!$-;=?-[\]_a-z~]*$/i;
const dots = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
const plainHost = /^[a-z0-9._-]+(?::\d{1,5})?$/;

const none = Buffer.alloc(0);

/** A request to an API, read straight from the wire. */
export class Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Scheme and host, as the caller addressed us. */
  readonly origin: string;
  /** Who asks, once that is known; the request log shows it. */
  user: string | null = null;
  readonly #incoming: IncomingMessage;

  private constructor(incoming: IncomingMessage, url: string, origin: string) {
    this.#incoming = incoming;
    this.method = incoming.method ?? 'GET';
    this.url = url;
    this.origin = origin;
  }

  /** Nothing if it cannot be understood. */
  static from(incoming: IncomingMessage): Asked | undefined {
    const { url = '', headers, socket } = incoming;
    const { host = '' } = headers;
    const scheme = 'encrypted' in socket ? 'https' : 'http';
    if (plainHost.test(host) && plainTarget.test(url) && !dots.test(url))
      return new Asked(incoming, url, `${scheme}://${host}`);
    const whole = URL.parse(url, `${scheme}://${host}`);
    return whole === null ? undefined : new Asked(incoming, whole.pathname + whole.search, whole.origin);
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Whether a body follows the headers. */
  get bringsBody(): boolean {
    const { headers } = this.#incoming;
    return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  }

  /** What came whole counts, even if its sender has hung up since. */
  body(): Promise<Buffer> {
    const incoming = this.#incoming;
    if (!this.bringsBody) return Promise.resolve(none);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const settle = (): void => {
        if (incoming.complete) resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
        else reject(new Error('Whoever asked hung up before all was said.'));
      };
      if (incoming.destroyed) {
        const arrived: unknown = incoming.read();
        if (arrived instanceof Buffer) chunks.push(arrived);
        return settle();
      }
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('end', settle).once('error', settle).once('close', settle);
      return undefined;
    });
  }
}
