import type { Showing } from './approval.ts';
import type { Identity } from './auth.ts';
import type { Fault } from './fault.ts';
import type { Path } from './path.ts';

/** What a request does on the wire. `read` may be repeated; nothing else is repeated on doubt; `send` can wait for approval. */
export type Effect = 'read' | 'write' | 'send' | 'destroy';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

/** One request to an upstream service, before signing. `path` starts with a slash and lies below the service's base. */
export type UpstreamRequest = {
  method: Method;
  path: Path;
  query?: Readonly<Record<string, QueryValue>> | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON; bytes are sent as they are with the given content type. */
  body?: unknown;
};

export type UpstreamAnswer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON where the answer is JSON, otherwise text. */
  body: unknown;
  /** How long the body was on the wire, where that is known. */
  bytes?: number | undefined;
};

type Options = Pick<UpstreamRequest, 'query' | 'headers' | 'body'>;

/** Takes an answer's content piece by piece; the next piece comes when the promise is kept. */
export type Sink = (chunk: Uint8Array) => Promise<void>;

/** Something too large to be held: its size, and any piece of it. */
export type Content = { size: number; slice(from: number, to: number): Promise<Uint8Array> };

/** The upstream as a step sees it: signed, paced, caged. The short forms throw a Fault unless the answer is 2xx. */
export type Upstream = {
  get(path: Path, options?: Options): Promise<unknown>;
  post(path: Path, options?: Options): Promise<unknown>;
  put(path: Path, options?: Options): Promise<unknown>;
  patch(path: Path, options?: Options): Promise<unknown>;
  delete(path: Path, options?: Options): Promise<unknown>;
  /** A GET whose answer is handed on piece by piece, up to `maxBytes`. */
  download(path: Path, options: Omit<Options, 'body'> & { into: Sink; maxBytes: number }): Promise<void>;
  /**
   * A POST that opens an upload, and then the content in parts, to the address that its answer names and without a
   * credential. All of it is one write, which happens with the last part.
   */
  upload(path: Path, options: Options & { content: Content }): Promise<unknown>;
  /** The answer as it came, errors included. */
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
};

/** What a request does, and the headers with which the service refuses it if what was looked at has changed since. */
export type Reconsidered = { effect: 'write' | 'destroy'; held: Readonly<Record<string, string>> };

/** How one service is spoken to. Data and pure functions; the HTTP client does the rest. */
export type UpstreamDefinition<Credential> = {
  /** Headers that carry the credential. Never the URL. */
  sign(credential: Credential): Record<string, string>;
  /**
   * For a service that wants the credential inside an address: the path with it in the place of `{token}`. Only the wire
   * sees the result; such a path cannot be typed in, because braces that are typed in are escaped.
   */
  fill?(path: Path, credential: Credential): Path;
  /** What this request does, judged by method, path and body alone. */
  effectOf(request: Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body'>): Effect;
  /**
   * For what `effectOf` takes for a send because others may be told of it: what it does given what the service holds now,
   * which is looked up. `undefined`, at once or after looking: it stays a send.
   */
  reconsider?(request: UpstreamRequest, upstream: Upstream): Promise<Reconsidered | undefined> | undefined;
  /**
   * Of a send that a person was shown: headers with which the service refuses it if what it is about has changed since.
   * `undefined`, at once or after looking: it cannot be held to that.
   */
  heldTo?(
    request: UpstreamRequest,
    upstream: Upstream,
  ): Promise<Readonly<Record<string, string>> | undefined> | undefined;
  /** Addresses that a write gives the service to load or to show: whoever is there learns of it. Absent: it takes none. */
  loads?(request: Pick<UpstreamRequest, 'path' | 'query' | 'body'>): readonly string[];
  /** Whether a write is said where people talk, as a comment is: two agents could answer each other there for ever. */
  isSaid?(request: Pick<UpstreamRequest, 'method' | 'path'>): boolean;
  /** The service's refusal as a Fault that says what to do next. */
  readFault(answer: UpstreamAnswer): Fault;
  /**
   * Whether an answer of 2xx to a write is one that this service gives: a gateway's page, or half of an answer, proves nothing.
   * Asked only of steps that can look. Absent: every one is.
   */
  confirms?(request: Pick<UpstreamRequest, 'method' | 'path'>, answer: UpstreamAnswer): boolean;
  /** How long the service asks us to stay away by an answer that is no refusal as a whole, such as that to a batch. */
  pauseIn?(request: Pick<UpstreamRequest, 'path'>, answer: UpstreamAnswer): number | undefined;
  /** Of a request that consists of several: what each of them that changes something was answered. */
  writesIn?(
    request: Pick<UpstreamRequest, 'path' | 'body'>,
    answer: UpstreamAnswer,
  ): readonly UpstreamAnswer[] | undefined;
  /** How a send that waits for approval is shown. Absent: by its fields. */
  showing?: Showing | undefined;
  /** Absent where the service takes no uploads in parts. */
  uploads?: UploadWay | undefined;
  /** The id of what a write made or changed, if the answer names it. */
  idOf(body: unknown): string | undefined;
  /** The id of what a request is about, by its path, where it names one: answers to changes and sends often name nothing. */
  idIn?(path: string): string | undefined;
  /**
   * Whose budgets calls with this credential draw on. These names are kept in memory, so they do not tell it. Access tokens
   * change every hour; whose they are stays.
   */
  payersOf(credential: Credential, identity?: Identity): Payers;
  /** How fast this service may be asked at their expense, over all processes and workspaces. */
  paceOf(payers: Payers, request: Pick<UpstreamRequest, 'method' | 'path' | 'body'>): Pace;
  /** Which of these limits the service keeps us away by. Absent: by the first. */
  spentOf?(limits: readonly Limit[], answer: UpstreamAnswer): readonly Limit[];
};

/** How a service takes in parts what is too large for one request. */
export type UploadWay = {
  partBytes: number;
  /** Where the parts go, by the answer to the request that opened the upload. */
  addressIn(body: unknown): string | undefined;
  /**
   * What the answer to a part says: where to go on; that the upload is complete, and what it made; that the service `had`
   * this part; that the upload is `gone`; that the part `failed` but may be sent again. Throws a Fault where it may not.
   */
  readPart(answer: UpstreamAnswer): { next: number } | { made: unknown } | 'had' | 'gone' | 'failed';
};

export type Payers = Readonly<Record<string, string>>;

/** `bucket` names whose budget it is without telling the credential. */
export type Limit = {
  bucket: string;
  limit: number;
  windowMs: number;
  /** As how many calls this one counts; 1 unless it is said. */
  calls?: number;
};

export type Pace = {
  /** Each must have room. */
  limits: readonly Limit[];
  /** How many calls at once, where the service counts that. */
  atOnce?: readonly Places[] | undefined;
};

export type Places = {
  bucket: string;
  limit: number;
  /** As how many this one counts; 1 unless it is said. */
  places?: number;
};
