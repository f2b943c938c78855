import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Notification, type Proof, type Received, storableJson } from '#kit';
import { readChange } from './label-state.ts';
import { Action, clientIdentifier, occurrenceOf } from './occurrence.ts';

// 20 bytes in base64, in the one spelling that the service uses.
const spelling = /^[A-Za-z0-9+/]{26}[AEIMQUYcgkosw048]=$/;

/** The signature covers the bytes as they came and the address as it was registered. */
const isSigned = ({ headers, bytes }: Notification, url: string, secret: string): boolean => {
  const shown = headers['x-trello-webhook'] ?? '';
  const expected = createHmac('sha1', secret).update(bytes).update(url).digest();
  return spelling.test(shown) && timingSafeEqual(Buffer.from(shown, 'base64'), expected);
};

const Told = z.object({ action: Action });

const parse = (bytes: Uint8Array): Action | undefined => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return Told.safeParse(JSON.parse(storableJson(text))).data?.action;
  } catch {
    return undefined;
  }
};

export const receive = (notification: Notification, { url, signingSecret }: Proof): Received => {
  // Before it saves a webhook, the service asks whether somebody is there.
  if (notification.method !== 'POST') return { answer: { status: 200 } };
  if (signingSecret !== undefined && !isSigned(notification, url, signingSecret)) return { answer: { status: 401 } };
  const action = parse(notification.bytes);
  if (action === undefined) return { answer: { status: 400 } };
  // Whoever gave no secret gets what the service itself says when it is asked: of labels, what is there now.
  if (signingSecret === undefined) {
    return readChange(action) === undefined
      ? { occurrences: [], hints: [action.id], notices: [] }
      : { occurrences: [], hints: [], notices: ['missed'] };
  }
  const ours = notification.headers['x-trello-client-identifier'] === clientIdentifier;
  return { occurrences: [occurrenceOf(action, ours ? { viaSwitchboard: true } : {})], hints: [], notices: [] };
};
