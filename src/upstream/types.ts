import type { Effect, Sink, UpstreamAnswer, UpstreamRequest } from '#kit';
import type { StopSignal } from './stop.ts';

/** What is asked of a service. */
export type Wanted = {
  /** The configured address of the service; nothing outside its origin and path is ever asked. */
  base: URL;
  request: UpstreamRequest;
  /** The headers that carry the credential. They win over the request's own. */
  headers: Record<string, string>;
  /** What the request does. Without it GET and HEAD are reads and the rest are writes. */
  effect?: Effect | undefined;
  /** The address without ids, for traces. Without it, segments that look like ids are left out. */
  template?: string | undefined;
};

/** Within which bounds, and what becomes of the answer. */
export type CallBounds = {
  /** For everything: waiting for a connection, sending, and the whole answer. */
  deadlineMs?: number | undefined;
  maxBytes?: number | undefined;
  signal?: StopSignal | undefined;
  /** Takes the content of an answer that is 2xx; its body is then null. */
  into?: Sink | undefined;
};

export type UpstreamCall = Wanted & CallBounds;

/** A part of an upload: which bytes, of how many in all. */
export type PartOfUpload = { address: string; bytes: Uint8Array; from: number; total: number };

export type TimedAnswer = UpstreamAnswer & { ms: number; bytes: number };

export type UpstreamClient = {
  /**
   * Makes one call and repeats nothing. The service's answer comes back whatever its status; redirects too.
   * A Fault means there is none: `invalid_input` and `too_large` (nothing was sent), `upstream_unavailable` (a read, or
   * provably not sent), `outcome_unknown` (a write that may have arrived).
   */
  call(options: UpstreamCall): Promise<TimedAnswer>;
  /** Checks and writes a call down as far as it goes without sending it, which what it answers does: once. */
  ready(wanted: Wanted): (bounds: CallBounds) => Promise<TimedAnswer>;
  /**
   * Sends a part of an upload to the address that the service named for it, which lies elsewhere. It has no place for a
   * credential: the address itself is one.
   */
  upload(part: PartOfUpload, options: Pick<UpstreamCall, 'base' | 'deadlineMs' | 'signal'>): Promise<TimedAnswer>;
  /** Ends every call that is still open. */
  close(): Promise<void>;
};
