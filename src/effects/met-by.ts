import type { Effect, UpstreamRequest } from '#kit';
import { digestOf, type EffectRow } from './record.ts';

type Asked = Pick<EffectRow, 'method' | 'effect'>;

/** Changing what is there once more does no harm; making, sending or removing something would. */
export const isHarmless = ({ method, effect }: Asked): boolean => effect === 'write' && method !== 'POST';

/**
 * Which of the records that an interrupted execution left, in their order, a write comes to: that of the same request,
 * wherever it stood. What is composed by what the service holds may come to another request, one more or one less. Such a
 * one takes the place of what went to the same address, or of what did not happen. One that could do again what was done
 * otherwise comes to that. `undefined`: it is one more.
 */
export const metBy = (
  left: readonly EffectRow[],
  request: UpstreamRequest,
  effect: Exclude<Effect, 'read'>,
): EffectRow | undefined => {
  const { method, path } = request;
  const digest = digestOf(request);
  const same = left.find((each) => each.digest.equals(digest));
  if (same !== undefined) return same;
  const there = left.filter((each) => each.method === method && each.path === path);
  const replaced = there.find(({ state }) => state === 'intended') ?? there[0];
  if (replaced !== undefined) return replaced;
  const [next] = left;
  if (next?.state === 'not_sent') return next;
  if (isHarmless({ method, effect })) return undefined;
  return left.find((each) => each.state !== 'not_sent' && !isHarmless(each));
};
