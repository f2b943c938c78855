import { wallOf, zoneNamed } from '../calendar/zones.ts';
import { badRequest } from '../graph-error.ts';
import { newItemId } from '../ids.ts';
import type { Body, EmailAddress, Json, Message } from '../mailbox.ts';
import type { GraphRequest } from '../route.ts';
import { escapeHtml, previewOf, wholeHtml } from '../text.ts';
import { pick, readAddresses, readObject, readText } from '../values.ts';
import { addressOf, nextConversationIndex } from './draft.ts';
import { type MessageFields, readMessage } from './parse.ts';
import { bodyAs } from './view.ts';

export type AnswerKind = 'reply' | 'replyAll' | 'forward';
type Asked = { comment: string | undefined; fields: MessageFields; to: EmailAddress[] | undefined };

/** The parameters of the reply and forward actions, with their rules. */
const readAction = (kind: AnswerKind, body: Json, optional: boolean): Asked => {
  const comment = pick(body, 'comment');
  const message = pick(body, 'message');
  const outer = pick(body, 'toRecipients');
  const fields = message === undefined || message === null ? {} : readMessage(readObject(message, 'message'));
  const text = comment === undefined || comment === null ? undefined : readText(comment, 'comment');
  if (text !== undefined && fields.body !== undefined) {
    throw badRequest('Specify either a comment or the body property of the message parameter, not both.');
  }
  const to = outer === undefined || outer === null ? undefined : readAddresses(outer, 'toRecipients');
  if (kind === 'forward') {
    if (to !== undefined && fields.to !== undefined) {
      throw badRequest('Specify toRecipients either as a parameter or in the message, not both.');
    }
    // A draft may be asked for without a word; whoever says something also says to whom.
    const silent = optional && Object.keys(body).length === 0;
    if (!silent && (to ?? fields.to ?? []).length === 0) throw badRequest('The toRecipients parameter is required.');
  }
  return { comment: text, fields, to };
};

const sentLine = (sent: number, zoneName: string | undefined): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'medium', timeZone: 'UTC' }).format(
    wallOf(sent, zoneNamed(zoneName ?? 'UTC')),
  );

const listed = (people: readonly EmailAddress[]): string =>
  escapeHtml(people.map(({ name, address }) => `${name} <${address}>`).join('; '));

/** What is answered, under a rule. */
const quoted = (original: Message, zone: string | undefined): string => {
  const lines = [
    ...(original.from === null ? [] : [`<b>From:</b> ${listed([original.from])}`]),
    `<b>Sent:</b> ${sentLine(original.sent, zone)}`,
    `<b>To:</b> ${listed(original.to)}`,
    ...(original.cc.length === 0 ? [] : [`<b>Cc:</b> ${listed(original.cc)}`]),
    `<b>Subject:</b> ${escapeHtml(original.subject)}`,
  ];
  const html = bodyAs(original.body, 'html').content;
  const inner = /<body[^>]*>([\s\S]*)<\/body>/i.exec(html)?.[1] ?? html;
  return `<hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">${lines.join('<br>\r\n')}</div><div><br></div>${inner}`;
};

const without = (people: readonly EmailAddress[], gone: readonly EmailAddress[]): EmailAddress[] => {
  const addresses = new Set(gone.map(({ address }) => address.toLowerCase()));
  return people.filter(({ address }) => !addresses.has(address.toLowerCase()));
};

const targets = (kind: AnswerKind, original: Message, own: EmailAddress) => {
  // replyTo, where set, overrides the sender.
  const back = original.replyTo.length > 0 ? original.replyTo : original.from === null ? [] : [original.from];
  if (kind === 'forward') return { to: [], cc: [] };
  if (kind === 'reply') return { to: back, cc: [] };
  const others = without(original.to, [own, ...back]);
  return { to: [...back, ...others], cc: without(original.cc, [own, ...back, ...others]) };
};

const prefixed = (kind: AnswerKind, subject: string): string => {
  const prefix = kind === 'forward' ? 'FW: ' : 'RE: ';
  return subject.toUpperCase().startsWith(prefix) ? subject : prefix + subject;
};

/**
 * The draft that answers or forwards a message. In a draft for the client the comment is missing, as with the real
 * service; a body given replaces everything, quotation included.
 */
export const composeAnswer = (
  request: GraphRequest,
  kind: AnswerKind,
  original: Message,
  body: Json,
  purpose: 'draft' | 'send',
): MessageFields => {
  const { comment, fields, to } = readAction(kind, body, purpose === 'draft');
  const { mailbox, world, prefer } = request;
  const own = addressOf(world, mailbox);
  const said =
    purpose === 'send' && comment !== undefined
      ? `<div>${escapeHtml(comment).replace(/\r?\n/g, '<br>')}</div>`
      : '<br>';
  const content: Body = fields.body ?? {
    contentType: 'html',
    content: wholeHtml(`${said}${quoted(original, prefer.timeZone)}`),
  };
  const carried = original.attachments.filter(({ isInline }) => kind === 'forward' || isInline);
  return {
    ...targets(kind, original, own),
    subject: prefixed(kind, original.subject),
    importance: original.importance,
    ...fields,
    ...(to === undefined ? {} : { to }),
    from: fields.from ?? own,
    sender: own,
    body: content,
    preview: previewOf(content),
    conversationIndex: nextConversationIndex(original.conversationIndex),
    conversationId: original.conversationId,
    ...(kind === 'forward' ? {} : { inReplyTo: original.internetMessageId }),
    attachments: carried.map((attachment) => ({ ...attachment, id: newItemId(mailbox) })),
  };
};
