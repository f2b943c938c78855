import type { Caller, CallOptions } from '#accounts';
import type { CatalogueStep, Effect, Upstream, UpstreamRequest } from '#kit';
import { toUpstream } from '#upstream';

/** The first request a step would have written with. */
export type Rehearsed = { request: UpstreamRequest; effect: Exclude<Effect, 'read'> };

class CurtainCall extends Error {
  readonly rehearsed: Rehearsed;

  constructor(rehearsed: Rehearsed) {
    super('a rehearsal ends before its first write');
    this.rehearsed = rehearsed;
  }
}

/** Carries a step out up to its first write, which is shown instead of sent. `undefined`: it would not write at all. */
export const rehearse = async (
  caller: Caller,
  where: { workspaceId: string; accountId: string; step: CatalogueStep },
  play: (upstream: Upstream) => Promise<unknown>,
): Promise<Rehearsed | undefined> => {
  const { effectOf, readFault } = where.step.integration.upstream;
  const call = async (request: UpstreamRequest, how?: CallOptions) => {
    const effect = effectOf(request);
    if (effect !== 'read') throw new CurtainCall({ request, effect });
    return caller.asAccount(where.workspaceId, where.accountId, request, how);
  };
  // An upload is shown by the request that opens it.
  const upstream = toUpstream((request) => call(request), readFault, {
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
