import type { Path } from './path.ts';
import type { StepContext } from './step.ts';
import type { Content, Upstream, UpstreamRequest } from './upstream.ts';

/** Somebody to whom something goes. */
export type Addressed = { name?: string | undefined; address: string };

/** What goes along. The digest stands for the content. */
export type Enclosed = {
  name: string;
  contentType?: string | undefined;
  size?: number | undefined;
  sha256?: string | undefined;
  /** Of what the service holds and is too large to be read for a look: its id, which other content would not have. */
  id?: string | undefined;
  /** The same of what the service copies from another message. */
  copyOf?: string | undefined;
  /** Of what is answered, inside of its text: the service may leave it out. */
  carried?: true | undefined;
};

/** What a person sees before deciding, drawn from the requests themselves and from nothing that an agent says of them. */
export type SendView = {
  kind: 'mail' | 'event' | 'request';
  from?: Addressed | undefined;
  to: Addressed[];
  cc: Addressed[];
  bcc: Addressed[];
  replyTo: Addressed[];
  subject?: string | undefined;
  /** As it reads, and its source where that is HTML. */
  body?: { text: string; html?: string | undefined } | undefined;
  attachments: Enclosed[];
  /** Everything else that the request says. */
  fields: Record<string, unknown>;
  /** What a hurried person should not overlook. */
  warnings: string[];
  /** Several requests in one. */
  parts?: SendView[] | undefined;
};

/** A write that was composed but not made, and what the service is expected to answer. */
export type Planned = {
  request: UpstreamRequest;
  answer?: unknown;
  content?: Enclosed | undefined;
  /** What `content` tells of. */
  uploads?: Content | undefined;
};

/** Where the content of something enclosed is before it leaves: here, whole or in pieces, or with the service. */
export type Source = Uint8Array | Content | { at: Path };

/** What showing may use: the account, and its reads. */
export type Reading = { upstream: Upstream; account: StepContext['account'] };

/** How what one service would let leave is shown and held to. */
export type Showing = {
  /** What the service would answer to a write that only prepares a send. `undefined`: that cannot be known. */
  imagine(request: UpstreamRequest, reading: Reading): Promise<unknown>;
  view(planned: readonly Planned[], reading: Reading): Promise<SendView>;
  /** The content of what the view shows as enclosed in that place. `undefined`: it cannot be had before it leaves. */
  open?(planned: readonly Planned[], reading: Reading, place: number): Promise<Source | undefined>;
  /**
   * In what the service's own copy, about to be sent by this request, differs from what was approved. `made` is what the
   * service answered to the writes before it.
   */
  differences(
    approved: SendView,
    request: UpstreamRequest,
    reading: Reading,
    made: readonly unknown[],
  ): Promise<string[]>;
  /** By their ids, the things held by the service that the request lets leave. */
  letsLeave?(request: UpstreamRequest): readonly string[];
  /** By their ids, the things that the service could let leave and the request changes. */
  alters?(request: UpstreamRequest): readonly string[];
};
