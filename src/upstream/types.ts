import type { Effect, UpstreamAnswer, UpstreamRequest } from '#kit';

export type UpstreamCall = {
  /** The configured address of the service; nothing outside its origin and path is ever asked. */
  base: URL;
  request: UpstreamRequest;
  /** The headers that carry the credential. They win over the request's own. */
  headers: Record<string, string>;
  /** What the request does. Without it GET and HEAD are reads and the rest are writes. */
  effect?: Effect | undefined;
  /** The address without ids, for traces. Without it, segments that look like ids are left out. */
  template?: string | undefined;
  /** For everything: waiting for a connection, sending, and the whole answer. */
  deadlineMs?: number | undefined;
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
};

export type TimedAnswer = UpstreamAnswer & { ms: number; bytes: number };

export type UpstreamClient = {
  /**
   * Makes one call and repeats nothing. The service's answer comes back whatever its status; redirects too.
   * A Fault means there is none: `invalid_input` and `too_large` (nothing was sent), `upstream_unavailable` (a read, or
   * provably not sent), `outcome_unknown` (a write that may have arrived).
   */
  call(options: UpstreamCall): Promise<TimedAnswer>;
  /** Ends every call that is still open. */
  close(): Promise<void>;
};
