import type { Context } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Mailbox } from '../mailbox.ts';
import type { Person } from '../people.ts';
import type { World } from '../world.ts';
import { shell } from './shell.ts';

const cookie = 'sandbox-mailbox';

export type Visitor = { person: Person; mailbox: Mailbox };

/** Whose mailbox this browser looks at. No password: whoever reaches the sandbox may look everywhere. */
export const visitorOf = (c: Context, world: World): Visitor | undefined => {
  const person = world.person(getCookie(c, cookie) ?? '');
  const mailbox = person === undefined ? undefined : world.mailboxes.get(person.id);
  return person === undefined || mailbox === undefined ? undefined : { person, mailbox };
};

export const visit = (location: string, personId: string | undefined): Response => {
  const kept = personId === undefined ? { maxAge: 0 } : {};
  const value = generateCookie(cookie, personId ?? '', { path: '/', httpOnly: true, sameSite: 'Lax', ...kept });
  return new Response(null, { status: 303, headers: { Location: location, 'Set-Cookie': value } });
};

const kindOf = ({ password, kind }: Person): string =>
  password === '' ? 'Shared mailbox' : kind === 'personal' ? 'Personal account' : 'Work account';

const mostShown = 50;

export const signInPage = (world: World, mistake?: string): Promise<Response> => {
  const people = [...world.people.values()].filter(({ id }) => world.mailboxes.has(id));
  const rows = people.slice(0, mostShown).map((person) => {
    const unread = world
      .mailboxOf(person.id)
      ?.folders.get(world.mailboxOf(person.id)?.wellKnown.get('inbox') ?? '')?.unread;
    return html`<li><button name="person" value="${person.id}"><b>${person.displayName}</b> · ${person.address}<br><span class="soft">${kindOf(person)} · ${unread ?? 0} unread</span></button></li>`;
  });
  const others = people.length - mostShown;
  return shell({
    title: 'Sign in',
    here: 'sign-in',
    person: undefined,
    status: mistake === undefined ? 200 : 404,
    body: html`<main class="page"><h1>Whose mailbox?</h1><p class="soft">A click signs you in. These people exist only in this sandbox, and no mail leaves this machine.</p>
${mistake === undefined ? '' : html`<p class="bad" role="alert">${mistake}</p>`}
<form method="post" action="/sign-in"><ul class="people">${rows}</ul></form>
${others > 0 ? html`<form method="post" action="/sign-in" class="stack"><label>And ${others} more, by address<input name="person" type="email" required></label><button>Open</button></form>` : ''}</main>`,
  });
};
