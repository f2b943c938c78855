import { createHash } from 'node:crypto';
import type { Caller, CallOptions } from '#accounts';
import {
  type CatalogueStep,
  type Content,
  type Enclosed,
  Fault,
  holdsMore,
  type Path,
  type Planned,
  type Reading,
  type Sink,
  type StepContext,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '#kit';
import { toUpstream } from '#upstream';
import { approvalDigest, type Bound, shownRequest } from './digest.ts';
import { oddSignsIn } from './odd-signs.ts';
import { plainView } from './plain-view.ts';

export type Where = {
  workspaceId: string;
  step: CatalogueStep;
  account: StepContext['account'];
  signal?: AbortSignal | undefined;
};

/** Exactly what would leave, the digest that stands for it, and the edition of Switchboard that composed it. */
export type Composed = Bound & { digest: Buffer; composedBy: string };

class PlanEnds extends Error {}

/** The service refused to show the very thing that a request is about, and would refuse the request alike. */
export class RefusedLook extends Fault {
  readonly answer: UpstreamAnswer;

  constructor({ code, message, details }: Fault, answer: UpstreamAnswer) {
    super(code, message, details === undefined ? {} : { details });
    this.answer = answer;
  }
}

// Busy is no refusal: the same may go well later.
const isRefusal = ({ status }: UpstreamAnswer): boolean => status >= 400 && status < 500 && status !== 429;

const isAbout = (whole: Path | undefined, part: Path): boolean => whole === part || !!whole?.startsWith(`${part}/`);

const partBytes = 1_310_720;
/** Of what the service holds, as much as is read for somebody who only wants to see it. */
const mostBytes = 16 * 1024 * 1024;

const hashed = async (content: Content, name: string): Promise<Enclosed> => {
  const hash = createHash('sha256');
  for (let at = 0; at < content.size; at += partBytes) {
    hash.update(await content.slice(at, Math.min(content.size, at + partBytes)));
  }
  return { name, size: content.size, sha256: hash.digest('hex') };
};

// Far beyond any mail or card. Nobody could look through more, and composing and comparing it would take seconds.
const mostValues = 20_000;
const tooMuchToSee = () =>
  new Fault('invalid_input', `The body has more than ${mostValues} values: nobody could see what would be sent.`);

const fileName = (body: unknown): string =>
  (body as { AttachmentItem?: { name?: string } } | undefined)?.AttachmentItem?.name ?? 'file';

/** Composes what would leave without writing anything: reads are made, writes are imagined up to the first send. */
export const createPlanner = ({ caller, edition }: { caller: Caller; edition: string }) => {
  const readingOf = ({ workspaceId, step, account, signal }: Where, asked?: Path): Reading => {
    const { effectOf, readFault } = step.integration.upstream;
    const read = async (request: UpstreamRequest) => {
      if (effectOf(request) !== 'read') throw new Fault('internal', 'Nothing is written while a send is shown.');
      const answer = await caller.asAccount(workspaceId, account.id, request, { signal });
      if (isRefusal(answer) && isAbout(asked, request.path)) throw new RefusedLook(readFault(answer), answer);
      return answer;
    };
    const download = (request: UpstreamRequest, how: CallOptions) =>
      caller.asAccount(workspaceId, account.id, request, { ...how, signal });
    return { account, upstream: toUpstream((request) => read(request), readFault, { download, upload: read }) };
  };

  const compose = async (where: Where, planned: readonly Planned[]): Promise<Composed> => {
    if (planned.some(({ request }) => holdsMore(request.body, mostValues))) throw tooMuchToSee();
    const { showing } = where.step.integration.upstream;
    const asked = planned.length === 1 ? planned[0]?.request.path : undefined;
    const drawn = (await showing?.view(planned, readingOf(where, asked))) ?? plainView(planned);
    const odd = oddSignsIn(drawn.fields).filter((each) => !drawn.warnings.includes(each));
    const view = odd.length === 0 ? drawn : { ...drawn, warnings: [...drawn.warnings, ...odd] };
    const bound = { accountId: where.account.id, requests: planned.map(shownRequest), view };
    return { ...bound, digest: approvalDigest(bound), composedBy: edition };
  };

  /** Plays a step to its first send. `undefined`: it would send nothing. */
  const plan = async (
    where: Where,
    play: (upstream: Upstream) => Promise<unknown>,
  ): Promise<readonly Planned[] | undefined> => {
    const { effectOf, loads, isSaid, readFault, showing } = where.step.integration.upstream;
    const reading = readingOf(where);
    const planned: Planned[] = [];
    const perform = async (request: UpstreamRequest, content?: Content) => {
      const effect = effectOf(request);
      if (effect === 'read') return reading.upstream.request(request);
      const enclosed = content === undefined ? undefined : await hashed(content, fileName(request.body));
      const entry: Planned = { request, content: enclosed, uploads: content };
      planned.push(entry);
      // What has something loaded from elsewhere, or is said, may have been asked about as a send is.
      const isAsked = effect === 'send' || (loads?.(request) ?? []).length > 0 || isSaid?.(request) === true;
      if (isAsked) throw new PlanEnds();
      entry.answer = await showing?.imagine(request, reading);
      if (entry.answer === undefined) throw new Fault('conflict', 'This cannot be composed without writing something.');
      return { status: 200, headers: {}, body: entry.answer };
    };
    const upstream = toUpstream((request) => perform(request), readFault, {
      download: (request, how) =>
        caller.asAccount(where.workspaceId, where.account.id, request, { ...how, signal: where.signal }),
      upload: perform,
    });
    try {
      await play(upstream);
      return undefined;
    } catch (error) {
      if (error instanceof PlanEnds) return planned;
      throw error;
    }
  };

  /** Hands on the content of what would leave with it, piece by piece. `undefined`: it cannot be had. */
  const open = async (
    where: Where,
    planned: readonly Planned[],
    place: number,
  ): Promise<((into: Sink) => Promise<void>) | undefined> => {
    const reading = readingOf(where);
    const source = await where.step.integration.upstream.showing?.open?.(planned, reading, place);
    if (source === undefined) return undefined;
    if (source instanceof Uint8Array) return (into) => into(source);
    if ('at' in source) {
      // Read as a whole: whoever takes it slowly must not hold a place at the service.
      const pieces: Uint8Array[] = [];
      const into: Sink = async (piece) => void pieces.push(piece);
      await reading.upstream.download(source.at, { into, maxBytes: mostBytes }).catch((error: unknown) => {
        if (!(error instanceof Fault) || error.code !== 'too_large') throw error;
        throw new Fault('too_large', `This is larger than ${mostBytes / 1024 / 1024} MB; look at it in the mailbox.`);
      });
      return (sink) => sink(Buffer.concat(pieces));
    }
    return async (into) => {
      for (let at = 0; at < source.size; at += partBytes)
        await into(await source.slice(at, Math.min(source.size, at + partBytes)));
    };
  };

  return { compose, plan, open, readingOf };
};

export type Planner = ReturnType<typeof createPlanner>;
