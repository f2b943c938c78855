import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Member } from '../model.ts';

export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

export type PageApi = { key: string; token: string };

type Page = {
  title: string;
  body: Markup;
  member?: Member | undefined;
  script?: string;
  /** Narrow pages hold one form in the middle. */
  narrow?: boolean;
  board?: string;
  /** With which the page's script calls the API. */
  api?: PageApi | undefined;
};

const header = (member: Member | undefined): Markup => html`<header class="bar">
  <a class="brand" href="/"><span class="mark" aria-hidden="true"></span>Boards <span class="tag">Sandbox</span></a>
  <nav aria-label="Main">
    <a href="/power-ups/admin">Apps</a>
    <a href="/sandbox">Control</a>
    ${
      member
        ? html`<form method="post" action="/sign-out" class="inline">
            <span class="avatar" title="${member.fullName}">${member.initials}</span>
            <button class="quiet">Sign out</button>
          </form>`
        : html`<a href="/signup">Sign up</a>`
    }
  </nav>
</header>`;

export const page = ({
  title,
  body,
  member,
  script,
  narrow = false,
  board = '',
  api,
}: Page): Markup => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Boards (Sandbox)</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/assets/board.css" />
    ${api ? html`<meta name="api" content="${api.key} ${api.token}" />` : ''}
    ${script === undefined ? '' : html`<script type="module" src="/assets/${script}"></script>`}
  </head>
  <body class="${board}">
    ${header(member)}
    <main class="${narrow ? 'narrow' : 'wide'}">${body}</main>
  </body>
</html>`;

/** Nothing from outside; forms may lead back to the app that asked. */
export const contentSecurityPolicy = (formTarget = ''): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action 'self' ${formTarget}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
