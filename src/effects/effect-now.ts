import type { CatalogueStep, Effect, Reconsidered, Upstream, UpstreamRequest } from '#kit';

/** What a request does and, where that was looked up, what holds the service to it. */
export type EffectNow = { effect: Effect; held?: Reconsidered['held'] | undefined };

/**
 * What a request does: as judged on the wire and, where that leaves open whether anybody is told, by what the service
 * holds. A caller's own request is judged on the wire alone.
 */
export const effectNow = (
  { integration, passThrough }: CatalogueStep,
  request: UpstreamRequest,
  upstream: Upstream,
): EffectNow | Promise<EffectNow> => {
  const { effectOf, reconsider } = integration.upstream;
  const effect = effectOf(request);
  const looking = effect === 'send' && !passThrough ? reconsider?.(request, upstream) : undefined;
  return looking === undefined ? { effect } : looking.then((found) => found ?? { effect });
};
