import { html } from 'hono/html';
import { htmlToText } from '../text.ts';
import type { OutboxItem, World } from '../world.ts';
import { clip, shell, size } from './shell.ts';
import type { Visitor } from './visitor.ts';

const shownAtOnce = 100;

const letter = (item: OutboxItem) => html`<article class="card"><h2>${item.subject || '(no subject)'}</h2>
<p class="soft">${item.sentAt} · ${item.id}${item.automatic ? ' · automatic' : ''}</p>
<p>From <b>${item.from}</b> to <b>${item.to.join(', ') || 'nobody'}</b>${item.cc.length === 0 ? '' : html`, cc ${item.cc.join(', ')}`}${item.bcc.length === 0 ? '' : html`, bcc ${item.bcc.join(', ')}`}</p>
${item.attachments.length === 0 ? '' : html`<p class="chips">${item.attachments.map((file) => html`<span class="chip">${clip} ${file.name} <span class="soft">${size(file.size)}</span></span>`)}</p>`}
<details><summary>Text and headers</summary><pre>${item.body.contentType === 'html' ? htmlToText(item.body.content) : item.body.content}</pre>
<table>${[{ name: 'Message-ID', value: item.internetMessageId }, ...item.headers].map(({ name, value }) => html`<tr><th>${name}</th><td>${value}</td></tr>`)}</table></details></article>`;

/** Every mail that left a mailbox, latest first: the truth about sends. */
export const outboxPage = (world: World, visitor: Visitor | undefined): Promise<Response> =>
  shell({
    title: 'Outbox',
    here: 'outbox',
    person: visitor?.person,
    body: html`<main class="page"><h1>Outbox <span class="soft">${world.outbox.length}</span></h1><p class="soft">Every mail that left a mailbox of this sandbox, whoever and whatever sent it.</p>
${world.outbox.length === 0 ? html`<p>Nothing has been sent yet.</p>` : world.outbox.slice(-shownAtOnce).toReversed().map(letter)}</main>`,
  });
