import { html } from 'hono/html';
import type { App, Member } from '../model.ts';
import type { Session } from '../sessions.ts';
import { type Markup, page } from './layout.ts';

const tokenLink = ({ key, name }: App): string => {
  const query = { expiration: 'never', scope: 'read,write,account', response_type: 'token', key, name };
  return `/1/authorize?${new URLSearchParams(query)}`;
};

/** Where a key is obtained: every key belongs to an app somebody registered. */
export const adminPage = (member: Member, session: Session, apps: App[], mistake?: string): Markup =>
  page({
    title: 'Your apps',
    member,
    script: 'pages.js',
    body: html`<h1>Your apps</h1>
      <p class="muted">An app has an API key, which is public, and a secret, which signs its webhooks.</p>
      ${mistake === undefined ? '' : html`<p class="mistake" role="alert">${mistake}</p>`}
      <div class="cards-grid">
        ${apps.map(
          (app) => html`<article class="panel">
            <h2>${app.name}</h2>
            <h3>Trello Auth</h3>
            <dl class="secrets">
              <dt>API key</dt>
              <dd><code>${app.key}</code> <button class="quiet copy" data-copy="${app.key}">Copy</button></dd>
              <dt>Secret</dt>
              <dd><code>${app.secret}</code> <button class="quiet copy" data-copy="${app.secret}">Copy</button></dd>
              <dt>Allowed origins</dt>
              <dd>${app.allowedOrigins.length === 0 ? 'Loopback addresses' : app.allowedOrigins.join(', ')}</dd>
            </dl>
            <p><a class="button" href="${tokenLink(app)}">Generate a token</a></p>
          </article>`,
        )}
        <article class="panel">
          <h2>New app</h2>
          <form method="post" action="/power-ups/admin" class="stack">
            <input type="hidden" name="csrf" value="${session.csrf}" />
            <label>Name <input name="name" required maxlength="100" /></label>
            <label>Allowed origins <input name="origins" placeholder="https://example.com" /></label>
            <p class="muted">Separate several with spaces. Loopback addresses are always allowed.</p>
            <button class="primary">Create</button>
          </form>
        </article>
      </div>`,
  });
