import { z } from 'zod';
import type { Notice, Notification, Proof, Received } from '#kit';

const Envelope = z.object({ value: z.array(z.unknown()).max(5_000) });
const Item = z.object({
  clientState: z.string().max(500),
  lifecycleEvent: z.string().nullish(),
  changeType: z.string().nullish(),
  resource: z.string().nullish(),
  resourceData: z.object({ id: z.string().nullish() }).nullish(),
});
type Item = z.output<typeof Item>;

const longestToken = 2_000;
const controls = /[\u0000-\u001f\u007f-\u009f]/;
const id = /^[\w=+/-]{1,1500}$/;

const notices: Readonly<Record<string, Notice>> = {
  reauthorizationRequired: 'renew',
  subscriptionRemoved: 'removed',
  missed: 'missed',
};

const answer = (status: number, body?: string): Received => ({ answer: { status, body } });

const itemsIn = (bytes: Uint8Array): readonly unknown[] | undefined => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return Envelope.safeParse(JSON.parse(text)).data?.value;
  } catch {
    return undefined;
  }
};

const messageIn = ({ resource, resourceData }: Item): string | undefined => {
  const named = resourceData?.id ?? /\/messages(?:\/|\(')([^/')]+)/i.exec(resource ?? '')?.[1] ?? '';
  return id.test(named) ? named : undefined;
};

const noticeOf = (item: Item): Notice | undefined => {
  if (typeof item.lifecycleEvent === 'string') return notices[item.lifecycleEvent] ?? 'missed';
  // Something happened, but not to what: looking tells.
  return item.changeType !== 'deleted' && messageIn(item) === undefined ? 'missed' : undefined;
};

const hintOf = (item: Item): string | undefined =>
  typeof item.lifecycleEvent === 'string' || item.changeType === 'deleted' ? undefined : messageIn(item);

/** Reads a notification. Nothing in it is content: each item counts only with our secret, and then only as a hint. */
export const receive = ({ method, query, bytes }: Notification, { isOurSecret }: Proof): Received => {
  // The handshake: before it registers an address, the service asks it to repeat a text.
  const token = query.get('validationToken');
  if (token !== null) {
    const sound = token !== '' && token.length <= longestToken && !controls.test(token);
    return sound ? answer(200, token) : answer(400);
  }
  if (method !== 'POST') return answer(405);
  const items = itemsIn(bytes);
  if (items === undefined) return answer(400);
  const ours = items.flatMap((each) => Item.safeParse(each).data ?? []).filter((each) => isOurSecret(each.clientState));
  if (ours.length === 0) return answer(401);
  return {
    occurrences: [],
    hints: [...new Set(ours.flatMap((each) => hintOf(each) ?? []))],
    notices: [...new Set(ours.flatMap((each) => noticeOf(each) ?? []))],
  };
};
