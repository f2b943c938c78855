import { html } from 'hono/html';
import { restId } from '../ids.ts';
import type { EmailAddress, Mailbox, Message } from '../mailbox.ts';
import { addressOf } from '../messages/draft.ts';
import { htmlToText } from '../text.ts';
import type { World } from '../world.ts';
import { clip, fullMoment, shell, size } from './shell.ts';
import type { Visitor } from './visitor.ts';

export type AnswerKind = 'reply' | 'replyAll' | 'forward';
export const answerKinds: readonly AnswerKind[] = ['reply', 'replyAll', 'forward'];

/** What stands in the form: as the person left it, or as an answer begins. */
export type Letter = { to: string; cc: string; bcc: string; subject: string; text: string };
export type About = { answer?: { kind: AnswerKind; message: Message } | undefined; draft?: Message | undefined };

const listed = (people: readonly EmailAddress[]): string => people.map(({ address }) => address).join(', ');

export const plainText = ({ body }: Message): string =>
  body.contentType === 'text' ? body.content : htmlToText(body.content);

const empty: Letter = { to: '', cc: '', bcc: '', subject: '', text: '' };

export const firstLetter = (world: World, mailbox: Mailbox, { answer, draft }: About): Letter => {
  if (draft !== undefined)
    return {
      to: listed(draft.to),
      cc: listed(draft.cc),
      bcc: listed(draft.bcc),
      subject: draft.subject,
      text: plainText(draft),
    };
  if (answer === undefined) return empty;
  const { kind, message } = answer;
  const own = addressOf(world, mailbox).address.toLowerCase();
  const back = message.replyTo.length > 0 ? message.replyTo : message.from === null ? [] : [message.from];
  const others =
    kind === 'replyAll' ? [...message.to, ...message.cc].filter(({ address }) => address.toLowerCase() !== own) : [];
  const prefix = kind === 'forward' ? 'FW: ' : 'RE: ';
  return {
    ...empty,
    to: kind === 'forward' ? '' : listed(back),
    cc: listed(others.filter(({ address }) => !back.some((each) => each.address === address))),
    subject: message.subject.toUpperCase().startsWith(prefix) ? message.subject : prefix + message.subject,
    text: `\n\n${quoted(message)}`,
  };
};

const quoted = (message: Message): string =>
  [
    `On ${fullMoment(message.sent)}, ${message.from?.name || message.from?.address || 'somebody'} wrote:`,
    ...plainText(message)
      .split(/\r?\n/)
      .map((line) => `> ${line}`),
  ].join('\n');

const titles = { reply: 'Reply', replyAll: 'Reply to all', forward: 'Forward' };

export const composePage = (
  { person, mailbox }: Visitor,
  letter: Letter,
  { answer, draft }: About,
  mistake?: string,
): Promise<Response> => {
  const title = answer === undefined ? (draft === undefined ? 'New mail' : 'Draft') : titles[answer.kind];
  const carried = draft?.attachments ?? (answer?.kind === 'forward' ? answer.message.attachments : []);
  return shell({
    title,
    here: 'mailbox',
    person,
    status: mistake === undefined ? 200 : 400,
    body: html`<main class="page compose"><h1>${title}</h1>${mistake === undefined ? '' : html`<p class="bad" role="alert">${mistake}</p>`}
<form method="post" action="/compose" enctype="multipart/form-data" class="card">
${answer === undefined ? '' : html`<input type="hidden" name="${answer.kind}" value="${restId(mailbox, answer.message)}">`}${draft === undefined ? '' : html`<input type="hidden" name="draft" value="${restId(mailbox, draft)}">`}
<label>To<input name="to" value="${letter.to}" placeholder="ben@sandbox.test, cy@sandbox.test" autocomplete="off"${letter.to === '' ? html` autofocus` : ''}></label>
<label>Cc<input name="cc" value="${letter.cc}" autocomplete="off"></label><label>Bcc<input name="bcc" value="${letter.bcc}" autocomplete="off"></label>
<label>Subject<input name="subject" value="${letter.subject}"></label>
<label>Text<textarea name="text">
${letter.text}</textarea></label>
${carried.length === 0 ? '' : html`<p class="chips">${carried.map((file) => html`<span class="chip">${clip} ${file.name} <span class="soft">${size(file.size)}</span></span>`)}</p>`}
<label>Attach files <input type="file" name="files" multiple></label>
<div class="actions"><button class="main" name="do" value="send">Send</button><button name="do" value="save">Save draft</button><a class="button" href="/">Cancel</a></div></form></main>`,
  });
};
