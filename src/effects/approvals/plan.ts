import { createHash } from 'node:crypto';
import type { Caller, CallOptions } from '#accounts';
import {
  type CatalogueStep,
  type Content,
  type Enclosed,
  Fault,
  type Planned,
  type Reading,
  type StepContext,
  type Upstream,
  type UpstreamRequest,
} from '#kit';
import { toUpstream } from '#upstream';
import { approvalDigest, type Bound, shownRequest } from './digest.ts';
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

const hashed = async (content: Content, name: string): Promise<Enclosed> => {
  const hash = createHash('sha256');
  const part = 1_310_720;
  for (let at = 0; at < content.size; at += part) {
    hash.update(await content.slice(at, Math.min(content.size, at + part)));
  }
  return { name, size: content.size, sha256: hash.digest('hex') };
};

const fileName = (body: unknown): string =>
  (body as { AttachmentItem?: { name?: string } } | undefined)?.AttachmentItem?.name ?? 'file';

/** Composes what would leave without writing anything: reads are made, writes are imagined up to the first send. */
export const createPlanner = ({ caller, edition }: { caller: Caller; edition: string }) => {
  const readingOf = ({ workspaceId, step, account, signal }: Where): Reading => {
    const { effectOf, readFault } = step.integration.upstream;
    const read = async (request: UpstreamRequest) => {
      if (effectOf(request) !== 'read') throw new Fault('internal', 'Nothing is written while a send is shown.');
      return caller.asAccount(workspaceId, account.id, request, { signal });
    };
    const download = (request: UpstreamRequest, how: CallOptions) =>
      caller.asAccount(workspaceId, account.id, request, { ...how, signal });
    return { account, upstream: toUpstream((request) => read(request), readFault, { download, upload: read }) };
  };

  const compose = async (where: Where, planned: readonly Planned[]): Promise<Composed> => {
    const { showing } = where.step.integration.upstream;
    const view = (await showing?.view(planned, readingOf(where))) ?? plainView(planned);
    const bound = { accountId: where.account.id, requests: planned.map(shownRequest), view };
    return { ...bound, digest: approvalDigest(bound), composedBy: edition };
  };

  /** Plays a step to its first send. `undefined`: it would send nothing. */
  const plan = async (
    where: Where,
    play: (upstream: Upstream) => Promise<unknown>,
  ): Promise<readonly Planned[] | undefined> => {
    const { effectOf, readFault, showing } = where.step.integration.upstream;
    const reading = readingOf(where);
    const planned: Planned[] = [];
    const perform = async (request: UpstreamRequest, content?: Content) => {
      const effect = effectOf(request);
      if (effect === 'read') return reading.upstream.request(request);
      const enclosed = content === undefined ? undefined : await hashed(content, fileName(request.body));
      const entry: Planned = { request, content: enclosed };
      planned.push(entry);
      if (effect === 'send') throw new PlanEnds();
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

  return { compose, plan, readingOf };
};

export type Planner = ReturnType<typeof createPlanner>;
