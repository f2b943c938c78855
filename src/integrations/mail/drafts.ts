import { z } from 'zod';
import { type FindContext, listed, path, type StepContext, type UpstreamRequest, type Verdict } from '#kit';
import { attach, findAttached, isAttaching, type NewAttachment } from './attach.ts';
import { above, given } from './compose.ts';
import { changeProperty, findMarked, marked, markHeader, unlessGone } from './marker.ts';
import { belowMessage, getMessage, messagePath } from './messages.ts';
import { WireMessage } from './shapes.ts';
import { below, madeBy, prefer } from './wire.ts';

/* A mail is made as a draft, then sent once: only so has it an id by which to find out whether it left. */

type Recipients = { emailAddress: { name?: string; address: string } }[];

/** What is set on a draft; what is missing is left as the service makes it. */
export type DraftFields = {
  subject?: string | undefined;
  toRecipients?: Recipients | undefined;
  ccRecipients?: Recipients | undefined;
  bccRecipients?: Recipients | undefined;
  replyTo?: Recipients | undefined;
  from?: Recipients[number] | undefined;
  importance?: string | undefined;
};
export type Text = { content: string; format: 'text' | 'html' };
type Where = { mailbox: string | undefined };

/** Ties the mail to the run that made it: for us in a property, for everybody else in a header. */
const marks = (mark: string) => ({
  ...marked(mark),
  internetMessageHeaders: [{ name: markHeader, value: mark }],
});

/** A new mail. The body of the request is also what `sendMail` takes. */
export const newMessage = (fields: DraftFields, text: Text, mark: string) => ({
  ...given(fields),
  body: { contentType: text.format, content: text.content },
  ...marks(mark),
});

type Context = Pick<StepContext, 'upstream' | 'mark' | 'files'>;

export const makeDraft = async (
  { upstream, mark, files }: Context,
  { mailbox }: Where,
  fields: DraftFields,
  text: Text,
  attachments: readonly NewAttachment[],
): Promise<WireMessage> => {
  const body = newMessage(fields, text, mark(1));
  const draft = WireMessage.parse(await upstream.post(below(mailbox, path`/messages`), { body, headers: prefer() }));
  await attach({ upstream, files }, { mailbox, id: draft.id }, attachments);
  return draft;
};

const actions = {
  reply: path`/createReply`,
  replyAll: path`/createReplyAll`,
  forward: path`/createForward`,
};

/**
 * A draft that answers or forwards a message. The service puts the quotation into the draft but not the comment
 * (known issue of createReply), so the text is written above the quotation afterwards.
 */
export const makeAnswer = async (
  { upstream, mark, files }: Context,
  { mailbox, original, kind }: Where & { original: string; kind: keyof typeof actions },
  fields: DraftFields,
  text: Text,
  attachments: readonly NewAttachment[],
): Promise<WireMessage> => {
  const headers = prefer();
  const target = belowMessage(mailbox, original, actions[kind]);
  // A forward that says anything must say to whom, at once.
  const message = { ...marks(mark(1)), ...(kind === 'forward' ? given({ toRecipients: fields.toRecipients }) : {}) };
  const made = WireMessage.parse(await upstream.post(target, { body: { message }, headers }));
  const body = {
    ...given(fields),
    body: { contentType: 'html', content: above(made.body?.content ?? '', text.content, text.format) },
    singleValueExtendedProperties: [{ id: changeProperty, value: mark(2) }],
  };
  const draft = WireMessage.parse(await upstream.patch(messagePath(mailbox, made.id), { body, headers }));
  await attach({ upstream, files }, { mailbox, id: draft.id }, attachments);
  return draft;
};

export const sendDraft = async (
  { upstream }: Pick<StepContext, 'upstream'>,
  { mailbox, id }: Where & { id: string },
): Promise<void> => {
  await upstream.post(belowMessage(mailbox, id, path`/send`), { headers: prefer() });
};

const Changed = WireMessage.extend({
  singleValueExtendedProperties: z.array(z.object({ id: z.string(), value: z.string() })).optional(),
});

const findChange = async ({ upstream, mark, request }: FindContext): Promise<Verdict> => {
  const $expand = `singleValueExtendedProperties($filter=id eq '${changeProperty}')`;
  const read = upstream.get(request.path, { query: { $expand }, headers: prefer() });
  const message = Changed.parse(await read);
  const done = message.singleValueExtendedProperties?.some(({ value }) => value === mark(2)) ?? false;
  return { made: done ? [madeBy(message, message.id, mark(2))] : [] };
};

const idIn = ({ path: target }: UpstreamRequest): string => {
  const [, id = ''] = /\/messages\/([^/]+)/.exec(target) ?? [];
  return decodeURIComponent(id);
};

/** Whether a draft has left: it keeps its id on the way from Drafts to Sent Items, and is nowhere in between. */
export const findSent = async ({ upstream, mark, request }: FindContext, { mailbox }: Where): Promise<Verdict> => {
  const message = await unlessGone(getMessage({ upstream, mailbox }, idIn(request), ['id', 'isDraft']));
  if (message === undefined) return 'unclear';
  return { made: message.isDraft === false ? [madeBy(message, message.id, `${mark(3)} sent`)] : [] };
};

/** Finds out about any of the writes above. */
export const findMail = (context: FindContext, { mailbox }: Where): Promise<Verdict> => {
  const { upstream, mark, request } = context;
  const { method, path: target } = request;
  if (method === 'PATCH') return findChange(context);
  if (target.endsWith('/send')) return findSent(context, { mailbox });
  if (isAttaching(target)) return findAttached(upstream, target, request.body);
  if (target.endsWith('/sendMail')) return Promise.resolve('unclear');
  return findMarked(upstream, below(mailbox, path`/messages`), mark(1));
};

/** What every step that sends or drafts answers. */
export const Written = z.object({
  messageId: z.string().optional().describe('Stays the same when the message is sent or moved.'),
  internetMessageId: z.string().optional(),
  conversationId: z.string().optional(),
  to: z.array(z.string()).optional().describe('To whom, cc and bcc included.'),
});

/** To whom it went, as a sentence. */
export const sentTo = ({ to = [] }: z.output<typeof Written>): string =>
  to.length === 0 ? 'Sent the mail.' : `Sent the mail to ${listed(to)}.`;

export const written = (draft: WireMessage): z.output<typeof Written> => ({
  messageId: draft.id,
  internetMessageId: draft.internetMessageId ?? undefined,
  conversationId: draft.conversationId ?? undefined,
  to: [draft.toRecipients, draft.ccRecipients, draft.bccRecipients].flatMap((people) =>
    (people ?? []).flatMap(({ emailAddress }) => emailAddress?.address ?? []),
  ),
});
