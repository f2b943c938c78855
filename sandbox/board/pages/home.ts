import { html } from 'hono/html';
import type { Board, Member } from '../model.ts';
import { type Markup, type PageApi, page } from './layout.ts';

export type Credential = { username: string; fullName: string; key: string; token: string; appSecret: string };

const secret = (name: string, value: string): Markup => html`<dt>${name}</dt>
  <dd><code>${value}</code> <button class="quiet copy" data-copy="${value}" aria-label="Copy ${name}">Copy</button></dd>`;

const credentials = (
  known: Credential[],
  client: { id: string; secret: string | null } | undefined,
): Markup => html`<section
  aria-labelledby="keys"
>
  <h2 id="keys">API keys and tokens</h2>
  <p class="muted">Paste these wherever an API key and a token are asked for. They open nothing but this sandbox.</p>
  <div class="cards-grid">
    ${known.map(
      ({ fullName, key, token, appSecret }) => html`<article class="panel">
        <h3>${fullName}</h3>
        <dl class="secrets">${secret('API key', key)} ${secret('Token', token)} ${secret('App secret', appSecret)}</dl>
      </article>`,
    )}
    ${
      client
        ? html`<article class="panel">
            <h3>OAuth 2.0 client</h3>
            <dl class="secrets">${secret('Client id', client.id)} ${secret('Client secret', client.secret ?? '')}</dl>
          </article>`
        : ''
    }
  </div>
</section>`;

type Home = {
  member: Member;
  boards: (Board & { workspace: string })[];
  known: Credential[];
  client: { id: string; secret: string | null } | undefined;
  members: Member[];
  api: PageApi;
};

export const homePage = ({ member, boards, known, client, members, api }: Home): Markup =>
  page({
    title: 'Your boards',
    member,
    api,
    script: 'pages.js',
    body: html`<h1>Boards of ${member.fullName}</h1>
      <ul class="tiles">
        ${boards.map(
          ({ name, shortLink, workspace, closed }) => html`<li>
            <a class="tile ${closed ? 'closed' : ''}" href="/b/${shortLink}">
              <strong>${name}</strong><small>${closed ? 'Closed' : workspace}</small>
            </a>
          </li>`,
        )}
        <li>
          <form class="tile new" data-api="POST /1/boards">
            <label>New board <input name="name" required maxlength="200" placeholder="Name" /></label>
            <button>Create</button>
          </form>
        </li>
      </ul>
      <section aria-labelledby="people">
        <h2 id="people">Look at it as somebody else</h2>
        <ul class="people across">
          ${members.map(
            (other) => html`<li>
              <form method="post" action="/sign-in">
                <input type="hidden" name="as" value="${other.username}" />
                <button class="person"><span class="avatar">${other.initials}</span><strong>${other.fullName}</strong></button>
              </form>
            </li>`,
          )}
        </ul>
      </section>
      ${credentials(known, client)}`,
  });
