import { html } from 'hono/html';
import { restId } from '../ids.ts';
import type { EmailAddress, Folder, Mailbox, Message } from '../mailbox.ts';
import { folderName, foldersOf } from './folder-list.ts';
import { clip, fullMoment, size } from './shell.ts';

const people = (list: readonly EmailAddress[]): string =>
  list.map(({ name, address }) => (name === '' || name === address ? address : `${name} <${address}>`)).join('; ');

const line = (name: string, list: readonly EmailAddress[]) =>
  list.length === 0 ? '' : html`<dt>${name}</dt><dd>${people(list)}</dd>`;

const act = (address: string, action: string, text: string) =>
  html`<form method="post" action="${address}/${action}"><button>${text}</button></form>`;

const answers = (id: string) => html`<a class="button" href="/compose?reply=${id}">Reply</a>
<a class="button" href="/compose?replyAll=${id}">Reply all</a><a class="button" href="/compose?forward=${id}">Forward</a>`;

const mover = (mailbox: Mailbox, folder: Folder, address: string) =>
  html`<form method="post" action="${address}/move"><label class="soft">Move to <select name="to" data-submit><option value="">…</option>${foldersOf(
    mailbox,
  )
    .filter((other) => other.folder !== folder)
    .map(
      (other) => html`<option value="${other.folder.id}">${other.folder.displayName}</option>`,
    )}</select></label><noscript><button>Move</button></noscript></form>`;

/** One message, its body in a frame that can do nothing and load nothing. */
export const readingPane = (mailbox: Mailbox, folder: Folder, message: Message) => {
  const id = encodeURIComponent(restId(mailbox, message));
  const here = `/mail/${encodeURIComponent(folderName(folder))}`;
  const address = `${here}/${id}`;
  const files = message.attachments.filter(({ isInline }) => !isInline);
  return html`<article class="reading" aria-label="Message"><div><a class="button back" href="${here}">← ${folder.displayName}</a></div>
<h1>${message.subject || '(no subject)'}</h1>
<dl>${line('From', message.from === null ? [] : [message.from])}${line('To', message.to)}${line('Cc', message.cc)}${line('Bcc', message.bcc)}${line('Reply to', message.replyTo)}<dt>Date</dt><dd>${fullMoment(message.received)}</dd></dl>
${message.categories.length === 0 && message.flag.flagStatus === 'notFlagged' ? '' : html`<p class="chips">${message.flag.flagStatus === 'flagged' ? html`<span class="chip">Flagged</span>` : ''}${message.categories.map((name) => html`<span class="chip">${name}</span>`)}</p>`}
<div class="actions">${message.isDraft ? html`<a class="button main" href="/compose?draft=${id}">Edit draft</a>` : answers(id)}
${act(address, message.isRead ? 'unread' : 'read', message.isRead ? 'Mark unread' : 'Mark read')}${act(address, 'delete', 'Delete')}${mover(mailbox, folder, address)}</div>
${files.length === 0 ? '' : html`<p class="chips">${files.map((file) => html`<a class="chip" href="${address}/attachments/${encodeURIComponent(file.id)}">${clip} ${file.name} <span class="soft">${size(file.size)}</span></a>`)}</p>`}
<iframe title="Message text" sandbox src="${address}/body" referrerpolicy="no-referrer"></iframe></article>`;
};
