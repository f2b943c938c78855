import { z } from 'zod';
import type { Occurrence, OwnWrite, Watching } from '#kit';
import { Delivery } from './delivery.ts';
import { ownAddresses } from './resource.ts';

const Headers = z.array(z.object({ name: z.string(), value: z.string() }));
const Written = z.object({
  internetMessageHeaders: Headers.optional(),
  message: z.object({ internetMessageHeaders: Headers.optional() }).optional(),
});

const markerIn = ({ body }: OwnWrite): string | undefined => {
  const { internetMessageHeaders, message } = Written.safeParse(body).data ?? {};
  const headers = [...(internetMessageHeaders ?? []), ...(message?.internetMessageHeaders ?? [])];
  return headers.find(({ name }) => name.toLowerCase() === 'x-switchboard-marker')?.value;
};

/** Marking, moving or labelling a message that came in answers with its id, too: these made none. */
const makesMessage = ({ method, path }: OwnWrite): boolean =>
  method === 'POST' && /\/(?:messages|copy|create(?:Reply|ReplyAll|Forward))\/?$/i.test(path);

/** A draft is marked when it is made, and leaves by a request of its own, which names nothing that arrives. */
const sends = ({ method, path }: OwnWrite): boolean => method === 'POST' && /\/send\/?$/i.test(path);

const markedBy = ({ body }: Occurrence): string | undefined => Delivery.safeParse(body).data?.marker ?? undefined;

/** How mail that was sent through us is known when it comes in again. */
export const own: Watching['own'] = {
  isMarked: (occurrence) => markedBy(occurrence) !== undefined,
  isSuspect: (occurrence, { identity }) => {
    // Whoever may send as somebody else, or out of a shared mailbox, has not their own address in it.
    if (markedBy(occurrence) !== undefined) return true;
    const { data } = Delivery.safeParse(occurrence.body);
    const addresses = ownAddresses(data?.mailbox.shared, identity);
    return [data?.from, data?.sender].some((each) => addresses.has(each?.address.toLowerCase() ?? ''));
  },
  traces: ({ body }) => {
    const { data } = Delivery.safeParse(body);
    return data === undefined ? [] : [data.id];
  },
  isCausedBy: ({ body }, write) => {
    const { data } = Delivery.safeParse(body);
    if (data === undefined || write.state === 'not_sent') return false;
    if (makesMessage(write) && write.upstreamId?.split(' ')[0] === data.id) return true;
    // Its mark came back, so it was sent, whether or not the answer is known.
    const { marker } = data;
    if (marker === null) return false;
    return markerIn(write) === marker || (sends(write) && write.mark !== undefined && marker.startsWith(write.mark));
  },
};
