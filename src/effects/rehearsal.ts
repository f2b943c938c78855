import type { Caller, CallOptions } from '#accounts';
import type { CatalogueStep, Effect, SendView, Upstream, UpstreamRequest } from '#kit';
import { toUpstream } from '#upstream';
import type { ShownRequest } from './approvals/digest.ts';
import { effectNow } from './effect-now.ts';

/** The first request a step would have written with and, of a send, all that follows and what a person would be shown. */
export type Rehearsed = {
  request: UpstreamRequest | ShownRequest;
  effect: Exclude<Effect, 'read'>;
  following?: readonly ShownRequest[];
  view?: SendView;
};

type FirstWrite = { request: UpstreamRequest; effect: Exclude<Effect, 'read'> };

class CurtainCall extends Error {
  readonly rehearsed: FirstWrite;

  constructor(rehearsed: FirstWrite) {
    super('a rehearsal ends before its first write');
    this.rehearsed = rehearsed;
  }
}

/** Carries a step out up to its first write, which is shown instead of sent. `undefined`: it would not write at all. */
export const rehearse = async (
  caller: Caller,
  where: { workspaceId: string; accountId: string; step: CatalogueStep },
  play: (upstream: Upstream) => Promise<unknown>,
): Promise<FirstWrite | undefined> => {
  const { readFault } = where.step.integration.upstream;
  const call = async (request: UpstreamRequest, how?: CallOptions) => {
    const { effect } = await effectNow(where.step, request, upstream);
    if (effect !== 'read') throw new CurtainCall({ request, effect });
    return caller.asAccount(where.workspaceId, where.accountId, request, how);
  };
  // An upload is shown by the request that opens it.
  const upstream: Upstream = toUpstream((request) => call(request), readFault, {
    download: call,
    upload: (request) => call(request),
  });
  try {
    await play(upstream);
    return undefined;
  } catch (error) {
    if (error instanceof CurtainCall) return error.rehearsed;
    throw error;
  }
};
