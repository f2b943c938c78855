import { isIP } from 'node:net';
import { Agent, type buildConnector, type Dispatcher, request } from 'undici';
import type { Clock } from '#clock';
import { Fault, type FileRef, type NewFile } from '#kit';
import { NotAllowed } from './guard.ts';
import { webFileName } from './web-file-name.ts';

/** Which addresses may be called. The connection itself is guarded: only then is it known where a name leads. */
export type Web = {
  connect: buildConnector.connector;
  mayReach(address: string): boolean;
  /** This machine may be called without TLS: the sandbox. */
  plainLoopback: boolean;
};

/** It is not had, and why: in words for whoever gave the address, without what may be secret in it. */
export class NotLoaded extends Error {}

export type Loading = {
  create(file: { name: string; contentType: string }): NewFile;
  maxBytes: number;
  patienceMs: number;
  signal: AbortSignal;
  onAnswer(answer: { from: string; status: number }): void;
};

/** Loads files from addresses that people and models give: with nothing of ours, and within bounds. */
export type WebFiles = {
  load(address: string, how: Loading): Promise<FileRef>;
  close(): Promise<void>;
};

const mostRedirects = 5;
const longestShown = 200;

/** An address as it is told: a query may hold what opens it. */
const shownOf = ({ host, pathname }: URL): string => `${host}${pathname}`.slice(0, longestShown);

const ownMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

const inside = 'leads into a private network, where nothing is loaded from';

const checked = (url: URL | null, { mayReach, plainLoopback }: Web): URL => {
  if (url === null) throw new NotLoaded('This is no web address; give one such as https://example.com/plan.pdf.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const refuse = (why: string) => new NotLoaded(`${shownOf(url)} ${why}.`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plainLoopback && ownMachine(host))) {
    throw refuse('is not loaded: its address must begin with https://');
  }
  if (url.username !== '' || url.password !== '')
    throw refuse('is given with a user name or password, which is not sent');
  if (isIP(host) !== 0 && !mayReach(host)) throw refuse(inside);
  return url;
};

const whyNot = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (error instanceof NotAllowed || cause instanceof NotAllowed) return inside;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOTFOUND') return 'could not be loaded: nobody has this name';
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'could not be loaded: its certificate is not trusted';
  return 'could not be loaded: the connection failed';
};

// As long as a registered one may be: https://www.rfc-editor.org/rfc/rfc6838#section-4.2
const plainType = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/;
const typeOf = (header: string | undefined): string => {
  const [type = ''] = (header ?? '').split(';');
  return plainType.test(type.trim()) ? type.trim().toLowerCase() : 'application/octet-stream';
};

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** What comes, with its end in our words; trouble in storing it is no trouble of the address. */
async function* piecesOf(body: AsyncIterable<Buffer>, told: (error: unknown) => Error): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw told(error);
  }
}

export const createWebFiles = ({ web, clock }: { web: Web; clock: Clock }): WebFiles => {
  const agent = new Agent({ connect: web.connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  const load = async (address: string, { stop, told, ...how }: Loading & { stop: AbortSignal; told: Told }) => {
    let url = checked(URL.parse(address), web);
    for (let redirects = 0; ; redirects += 1) {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'GET',
        headers: { 'user-agent': 'Switchboard-Files', accept: '*/*', 'accept-encoding': 'identity' },
        signal: stop,
      }).catch((error: unknown) => {
        throw told(url, error);
      });
      how.onAnswer({ from: `${url.protocol}//${shownOf(url)}`, status: answer.statusCode });
      answer.body.on('error', () => {});
      try {
        if (answer.statusCode === 200) return await take(url, answer, how, told);
        const location = first(answer.headers.location);
        if (![301, 302, 303, 307, 308].includes(answer.statusCode) || location === undefined) {
          throw new NotLoaded(`${shownOf(url)} could not be loaded: it answered ${answer.statusCode}.`);
        }
        if (redirects === mostRedirects) throw new NotLoaded(`${shownOf(url)} leads on and on.`);
        url = checked(URL.parse(location, url), web);
      } finally {
        answer.body.destroy();
      }
    }
  };

  const take = async (
    url: URL,
    { headers, body }: Dispatcher.ResponseData,
    { create, maxBytes }: Pick<Loading, 'create' | 'maxBytes'>,
    told: Told,
  ): Promise<FileRef> => {
    const encoding = first(headers['content-encoding']) ?? 'identity';
    if (encoding !== 'identity') {
      throw new NotLoaded(`${shownOf(url)} could not be loaded: it comes packed, although it was asked for plainly.`);
    }
    const left = Math.floor(maxBytes / 1024 / 1024);
    const tooMuch = () =>
      new NotLoaded(`${shownOf(url)} is too large: at most ${left} MB more may be loaded for this step.`);
    if (Number(first(headers['content-length']) ?? 0) > maxBytes) throw tooMuch();
    const name = webFileName(url, first(headers['content-disposition']));
    const file = create({ name, contentType: typeOf(first(headers['content-type'])) });
    let size = 0;
    for await (const piece of piecesOf(body, (error) => told(url, error))) {
      size += piece.length;
      if (size > maxBytes) throw tooMuch();
      await file.write(piece);
    }
    return file.keep();
  };

  return {
    load: async (address, how) => {
      const stop = new AbortController();
      const abort = (): void => stop.abort();
      let late = false;
      const callOff = clock.after(how.patienceMs, () => {
        late = true;
        stop.abort();
      });
      how.signal.addEventListener('abort', abort);
      if (how.signal.aborted) abort();
      const told: Told = (url, error) => {
        if (how.signal.aborted) return new Fault('unavailable', 'This process is ending; the run goes on elsewhere.');
        return new NotLoaded(`${shownOf(url)} ${late ? 'could not be loaded: it takes too long' : whyNot(error)}.`);
      };
      try {
        return await load(address, { ...how, stop: stop.signal, told });
      } finally {
        callOff();
        how.signal.removeEventListener('abort', abort);
      }
    },
    close: () => agent.destroy(),
  };
};

type Told = (url: URL, error: unknown) => Error;
