import { z } from 'zod';
import type { Path, Reconsidered, Upstream, UpstreamRequest } from '#kit';
import { invitesNobody } from './effects.ts';
import { prefer } from './wire.ts';

/** A whole series is not meant: single days of it can have guests of their own. */
const Alone = z.object({
  isOrganizer: z.literal(true),
  attendees: z.array(z.unknown()).length(0),
  type: z.enum(['singleInstance', 'occurrence', 'exception']),
  '@odata.etag': z.string().min(1),
});

const oneEvent = /^\/(?:me|users\/[^/]+)\/events\/[^/]+$/;

/** The version in which nobody else is concerned, if it is so now. */
const versionAlone = async (upstream: Upstream, path: Path): Promise<string | undefined> => {
  const query = { $select: 'isOrganizer,attendees,type' };
  const { status, body } = await upstream.request({ method: 'GET', path, query, headers: prefer() });
  // Nobody hears of what is not there. Should it come back meanwhile, no version of it is this one.
  if (status === 404) return 'W/"none"';
  return status === 200 ? Alone.safeParse(body).data?.['@odata.etag'] : undefined;
};

/**
 * Changing or deleting an event to which nobody is invited tells nobody; who is invited is not on the wire. The service is
 * held to the version that was looked at: whoever is invited in between is not told unasked.
 */
export const reconsider = (
  { method, path, headers, body }: UpstreamRequest,
  upstream: Upstream,
): Promise<Reconsidered | undefined> | undefined => {
  const effect = method === 'PATCH' && invitesNobody(body) ? 'write' : method === 'DELETE' ? 'destroy' : undefined;
  if (effect === undefined || !oneEvent.test(path)) return undefined;
  // A version that the caller knows is the one to hold to: if it is another by now, nothing happens either.
  const isHeld = /^\s*(?:W\/)?"/.test(headers?.['if-match'] ?? '');
  return versionAlone(upstream, path).then((version) =>
    version === undefined ? undefined : { effect, held: isHeld ? {} : { 'if-match': version } },
  );
};

const Versioned = z.object({ '@odata.etag': z.string().min(1) });

/** Whoever is invited between the last look and an approved change or removal would be told of it, and nobody was shown them. */
export const heldTo = (
  { method, path, headers }: UpstreamRequest,
  upstream: Upstream,
): Promise<Reconsidered['held'] | undefined> | undefined => {
  const isHeld = headers?.['if-match'] !== undefined;
  if ((method !== 'PATCH' && method !== 'DELETE') || !oneEvent.test(path) || isHeld) return undefined;
  const looking = upstream.request({ method: 'GET', path, query: { $select: 'id' }, headers: prefer() });
  return looking.then(({ status, body }) => {
    const version = status === 200 ? Versioned.safeParse(body).data?.['@odata.etag'] : undefined;
    return version === undefined ? undefined : { 'if-match': version };
  });
};
