import { html } from 'hono/html';
import { restId } from '../ids.ts';
import type { Folder, Mailbox, Message } from '../mailbox.ts';
import type { World } from '../world.ts';
import { folderName, foldersOf } from './folder-list.ts';
import { readingPane } from './reading-pane.ts';
import { clip, moment, shell } from './shell.ts';
import type { Visitor } from './visitor.ts';

const pageSize = 50;
const linkTo = (folder: Folder, message?: string): string =>
  `/mail/${encodeURIComponent(folderName(folder))}${message === undefined ? '' : `/${encodeURIComponent(message)}`}`;

const folderPane = (mailbox: Mailbox, current: Folder) =>
  html`<nav class="folders" aria-label="Folders"><a class="button main" href="/compose">New mail</a>${foldersOf(
    mailbox,
  ).map(
    ({ folder, depth }) =>
      html`<a href="${linkTo(folder)}" class="${depth > 0 ? 'in' : ''}"${folder === current ? html` aria-current="page"` : ''}><span>${folder.displayName}</span><span class="soft">${folder.wellKnown === 'drafts' ? folder.messages.length || '' : folder.unread || ''}</span></a>`,
  )}</nav>`;

const isOutgoing = (folder: Folder): boolean => folder.wellKnown === 'sentitems' || folder.wellKnown === 'drafts';

const correspondent = (folder: Folder, { from, to }: Message): string => {
  if (isOutgoing(folder))
    return to.length === 0 ? '(nobody yet)' : `To: ${to.map(({ name, address }) => name || address).join(', ')}`;
  return from === null ? '(no sender)' : from.name || from.address;
};

const row = (mailbox: Mailbox, folder: Folder, message: Message, current: Message | undefined, now: number) =>
  html`<li class="${message.isRead ? '' : 'unread'}"><a href="${linkTo(folder, restId(mailbox, message))}"${message === current ? html` aria-current="true"` : ''}>
<span class="top"><span class="from">${correspondent(folder, message)}</span><span class="when soft">${message.attachments.some(({ isInline }) => !isInline) ? clip : ''} ${moment(message.received, now)}</span></span>
<span class="subject">${message.importance === 'high' ? html`<b class="bad">High</b> ` : ''}${message.subject || '(no subject)'}</span><span class="preview soft">${message.preview}</span></a></li>`;

const listPane = (mailbox: Mailbox, folder: Folder, current: Message | undefined, skip: number, now: number) => {
  const end = folder.messages.length - skip;
  const shown = folder.messages.slice(Math.max(0, end - pageSize), Math.max(0, end)).toReversed();
  const older =
    end - pageSize > 0 ? html`<a class="button" href="${linkTo(folder)}?skip=${skip + pageSize}">Older</a>` : '';
  const newer =
    skip > 0 ? html`<a class="button" href="${linkTo(folder)}?skip=${Math.max(0, skip - pageSize)}">Newer</a>` : '';
  return html`<section class="list" aria-label="Messages"><h1>${folder.displayName} <span class="soft">${folder.messages.length}</span></h1>
${shown.length === 0 ? html`<p class="more soft">Nothing here.</p>` : html`<ol>${shown.map((message) => row(mailbox, folder, message, current, now))}</ol>`}
<p class="more">${newer}${older}</p></section>`;
};

/** Looks for changes now and then and shows them, unless somebody is busy with a control of the page. */
const pulse = (clock: number) => `
const seen = '${clock}';
setInterval(async () => {
  if (document.hidden || document.activeElement?.matches('select, input, textarea')) return;
  const answer = await fetch('/_control/pulse').catch(() => undefined);
  if (answer?.ok && (await answer.text()) !== seen) location.reload();
}, 1500);
for (const select of document.querySelectorAll('select[data-submit]')) select.addEventListener('change', () => select.form.requestSubmit());
`;

export const mailboxPage = (
  world: World,
  { person, mailbox }: Visitor,
  folder: Folder,
  message: Message | undefined,
  skip: number,
): Promise<Response> =>
  shell({
    title: message === undefined ? folder.displayName : message.subject || '(no subject)',
    here: 'mailbox',
    person,
    script: pulse(mailbox.clock),
    body: html`<main class="mail ${message === undefined ? 'browse' : 'read'}">${folderPane(mailbox, folder)}${listPane(mailbox, folder, message, skip, world.now())}
${message === undefined ? html`<section class="reading"><p class="soft">Choose a message to read it here.</p></section>` : readingPane(mailbox, folder, message)}</main>`,
  });
