import { z } from 'zod';
import type { Path, Upstream, UpstreamRequest } from '#kit';
import { invitesNobody } from './effects.ts';
import { prefer } from './wire.ts';

/** A whole series is not meant: single days of it can have guests of their own. */
const Alone = z.object({
  isOrganizer: z.literal(true),
  attendees: z.array(z.unknown()).length(0),
  type: z.enum(['singleInstance', 'occurrence', 'exception']),
});

const oneEvent = /^\/(?:me|users\/[^/]+)\/events\/[^/]+$/;

const isAlone = async (upstream: Upstream, path: Path): Promise<boolean> => {
  const query = { $select: 'isOrganizer,attendees,type' };
  const { status, body } = await upstream.request({ method: 'GET', path, query, headers: prefer() });
  return status === 200 && Alone.safeParse(body).success;
};

/** Changing or deleting an event to which nobody is invited tells nobody; who is invited is not on the wire. */
export const reconsider = (
  { method, path, body }: UpstreamRequest,
  upstream: Upstream,
): Promise<'write' | 'destroy' | undefined> | undefined => {
  const effect = method === 'PATCH' && invitesNobody(body) ? 'write' : method === 'DELETE' ? 'destroy' : undefined;
  if (effect === undefined || !oneEvent.test(path)) return undefined;
  return isAlone(upstream, path).then((alone) => (alone ? effect : undefined));
};
