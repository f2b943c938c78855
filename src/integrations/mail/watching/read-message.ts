import { z } from 'zod';
import { Fault, type Occurrence, path, type WatchContext } from '#kit';
import { withoutInvisible } from '../body/invisible.ts';
import { wholeList } from '../collect.ts';
import { authenticationOf, WireHeaders } from '../message-headers.ts';
import { belowMessage, messagePath } from '../messages.ts';
import { attachmentOf, fullFields, fullOf, type Person, WireAttachment, WireMessage } from '../shapes.ts';
import { toldInstant } from '../told.ts';
import { prefer } from '../wire.ts';
import { utcZone } from '../zones.ts';
import { isMachineMade } from './automatic.ts';
import type { Delivery } from './delivery.ts';
import type { Facts } from './facts.ts';
import { mailboxId, ownAddresses } from './resource.ts';

export type Mailbox = { mailbox: string | undefined; facts: Facts; context: WatchContext };

const Whole = WireMessage.extend({
  internetMessageHeaders: WireHeaders,
  attachments: z.array(WireAttachment).nullish(),
});
type Whole = z.output<typeof Whole>;

const attachmentFields = 'id,name,contentType,size,isInline';
const longestBody = 1_000_000;
const elsewhere = new Set(['ErrorNonExistentMailbox', 'ErrorInvalidUser']);

/** Whether this message is not there: deleted, or its id is nobody's. */
const isGone = (error: unknown): boolean => {
  if (!(error instanceof Fault)) return false;
  const told =
    z.object({ upstream: z.object({ code: z.string() }) }).safeParse(error.details).data?.upstream.code ?? '';
  return error.code === 'not_found' ? !elsewhere.has(told) : told === 'ErrorInvalidIdMalformed';
};

const get = async ({ mailbox, context: { upstream } }: Mailbox, id: string): Promise<Whole> => {
  const fields = [...fullFields, 'internetMessageHeaders'];
  const target = messagePath(mailbox, id);
  const headers = prefer();
  try {
    const query = {
      $select: [...fields, 'body'].join(','),
      $expand: `attachments($select=${attachmentFields})`,
    };
    return Whole.parse(await upstream.get(target, { query, headers }));
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'too_large')) throw error;
    // A body that no answer can hold: the message is told all the same, with the beginning of its text.
    const message = Whole.parse(await upstream.get(target, { query: { $select: fields.join(',') }, headers }));
    const list = belowMessage(mailbox, id, path`/attachments`);
    return { ...message, attachments: await wholeList(upstream, list, { $select: attachmentFields }, WireAttachment) };
  }
};

type Someone = z.output<typeof Person>;
const clean = ({ name = '', address }: Someone): Someone => {
  const seen = withoutInvisible(name);
  return { ...(seen.trim() === '' ? {} : { name: seen }), address };
};
const cleanAll = (people: readonly Someone[] | undefined): Someone[] => (people ?? []).map(clean);

const headerOf = (message: Whole, wanted: string): string | undefined =>
  message.internetMessageHeaders?.find(({ name }) => name.toLowerCase() === wanted)?.value ?? undefined;

/** Our own copy of what we sent: it never travelled, wherever it was moved to. */
const isSentCopy = (message: Whole, own: ReadonlySet<string>): boolean => {
  const writers = [message.from, message.sender].flatMap((each) => each?.emailAddress?.address?.toLowerCase() ?? []);
  return writers.some((address) => own.has(address)) && headerOf(message, 'received') === undefined;
};

const level = (importance: string | null | undefined): Delivery['importance'] =>
  importance === 'low' || importance === 'high' ? importance : 'normal';

const instant = (text: string | null | undefined): string | null => {
  const at = toldInstant(text);
  return at === undefined ? null : new Date(at).toISOString();
};

const receivedAt = ({ receivedDateTime }: Whole): string => instant(receivedDateTime) ?? new Date(0).toISOString();

const bodyOf = ({ body, bodyPreview }: Whole): Delivery['body'] => {
  if (body === undefined || body === null) return { contentType: 'text', content: bodyPreview ?? '', isCut: true };
  const content = body.content ?? '';
  return {
    contentType: body.contentType?.toLowerCase() === 'html' ? 'html' : 'text',
    content: content.slice(0, longestBody).toWellFormed(),
    isCut: content.length > longestBody,
  };
};

const deliveryOf = async (message: Whole, at: Mailbox): Promise<Delivery> => {
  const { facts, mailbox, context } = at;
  const full = fullOf(message, utcZone);
  const from = full.from === undefined ? null : clean(full.from);
  return {
    type: 'message',
    mailbox: { id: mailboxId(mailbox, context.account), shared: mailbox ?? null, zone: facts.zone },
    id: message.id,
    internetMessageId: message.internetMessageId ?? null,
    conversationId: message.conversationId ?? null,
    subject: withoutInvisible(message.subject ?? ''),
    from,
    sender: full.sender === undefined ? from : clean(full.sender),
    replyTo: cleanAll(full.replyTo),
    to: cleanAll(full.to),
    cc: cleanAll(full.cc),
    bcc: cleanAll(full.bcc),
    receivedAt: receivedAt(message),
    sentAt: instant(message.sentDateTime),
    isRead: message.isRead ?? false,
    importance: level(message.importance),
    categories: (message.categories ?? []).map(withoutInvisible),
    folder: await facts.folder(message.parentFolderId),
    hasAttachments: message.hasAttachments ?? false,
    attachments: (message.attachments ?? []).map(attachmentOf).map((each) => ({
      ...each,
      name: withoutInvisible(each.name),
    })),
    body: bodyOf(message),
    authentication: authenticationOf(message.internetMessageHeaders) ?? {},
    isAutomatic: isMachineMade(message.internetMessageHeaders, full.from?.address),
    marker: headerOf(message, 'x-switchboard-marker') ?? null,
    webLink: message.webLink ?? null,
  };
};

const occurrenceOf = (delivery: Delivery): Occurrence => ({
  key: `${delivery.mailbox.id} ${delivery.id}`,
  upstreamId: delivery.id,
  order: `${delivery.receivedAt} ${delivery.id}`,
  subject: delivery.conversationId,
  at: new Date(delivery.receivedAt),
  body: delivery,
});

/** What is no incoming mail wherever it lies, so that nobody needs to read it again; and when it was received. */
export class SentCopy {
  readonly at: Date;
  constructor(at: Date) {
    this.at = at;
  }
}

/** A message by its id; `undefined` when it is gone, or lies where nothing comes in. */
export const readMessage = async (at: Mailbox, id: string): Promise<Occurrence | SentCopy | undefined> => {
  let message: Whole;
  try {
    message = await get(at, id);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
  if (message.isDraft === true || at.facts.outgoing.has(message.parentFolderId ?? '')) return undefined;
  if (isSentCopy(message, ownAddresses(at.mailbox, at.context.account.identity))) {
    return new SentCopy(new Date(receivedAt(message)));
  }
  return occurrenceOf(await deliveryOf(message, at));
};
