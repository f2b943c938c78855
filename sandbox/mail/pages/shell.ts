import { html } from 'hono/html';
import { page } from '../../common/page.ts';
import type { Person } from '../people.ts';
import { style } from './style.ts';

export type Markup = ReturnType<typeof html>;

type ShellParts = {
  title: string;
  here: 'mailbox' | 'outbox' | 'faults' | 'sign-in';
  person: Person | undefined;
  body: Markup;
  script?: string;
  status?: number;
};

const link = (here: string, name: string, address: string, text: string) =>
  html`<a href="${address}"${here === name ? html` aria-current="page"` : ''}>${text}</a>`;

const who = (person: Person) =>
  html`<form class="who" method="post" action="/sign-out"><span>${person.displayName}<br><span class="soft">${person.address}</span></span><button>Switch</button></form>`;

/** The frame around every page for people, marked as sandbox. */
export const shell = ({ title, here, person, body, script, status }: ShellParts): Promise<Response> =>
  page({
    title: `${title} · Sandbox mail`,
    style,
    script,
    status,
    body: html`<header><span class="name">Mail</span><span class="label">Sandbox</span>
<nav aria-label="Pages">${link(here, 'mailbox', '/', 'Mailbox')}${link(here, 'outbox', '/outbox', 'Outbox')}${link(here, 'faults', '/faults', 'Faults')}</nav>
${person === undefined ? '' : who(person)}</header>${body}`,
  });

/** Drawn, for not every machine has a font with this sign. */
export const clip = html`<svg class="clip" viewBox="0 0 16 16" role="img" aria-label="Attachment"><path d="M11.5 4.5v6a3.5 3.5 0 0 1-7 0v-7a2.2 2.2 0 0 1 4.5 0v6.6a1 1 0 0 1-2 0V5" fill="none" stroke="currentColor" stroke-width="1.2" stroke-linecap="round"/></svg>`;

/** A moment as people read it, in UTC like everything in the sandbox. */
export const moment = (ms: number, now: number): string => {
  const sameDay = new Date(ms).toISOString().slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  const time = { hour: '2-digit', minute: '2-digit', hour12: false, timeZone: 'UTC' } as const;
  const day = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-GB', sameDay ? time : day).format(ms);
};

export const fullMoment = (ms: number): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' }).format(ms)} UTC`;

export const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
