import { html } from 'hono/html';
import type { Member } from '../model.ts';
import { type Markup, page } from './layout.ts';

type SignIn = { members: Member[]; next: string; why: string; mistake?: string | undefined; hint?: string | undefined };

export const signInPage = ({ members, next, why, mistake, hint = '' }: SignIn): Markup =>
  page({
    title: 'Sign in',
    narrow: true,
    body: html`<h1>Sign in</h1>
      <p class="muted">${why}</p>
      ${mistake === undefined ? '' : html`<p class="mistake" role="alert">${mistake}</p>`}
      <ul class="people">
        ${members.map(
          (member) => html`<li>
            <form method="post" action="/sign-in">
              <input type="hidden" name="next" value="${next}" />
              <input type="hidden" name="as" value="${member.username}" />
              <button class="person">
                <span class="avatar">${member.initials}</span>
                <span><strong>Continue as ${member.fullName}</strong><br /><small>${member.email}</small></span>
              </button>
            </form>
          </li>`,
        )}
      </ul>
      <p class="or"><span>or with a password</span></p>
      <form method="post" action="/sign-in" class="stack">
        <input type="hidden" name="next" value="${next}" />
        <label>Email or username <input name="who" autocomplete="username" value="${hint}" required /></label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        <p class="muted">Every password in the sandbox is <code>sandbox</code>.</p>
        <button class="primary">Sign in</button>
      </form>
      <p class="muted">New here? <a href="/signup?next=${encodeURIComponent(next)}">Create an account</a></p>`,
  });

export const signUpPage = (next: string, mistake?: string): Markup =>
  page({
    title: 'Sign up',
    narrow: true,
    body: html`<h1>Create an account</h1>
      <p class="muted">It exists in this sandbox only, until the next reset.</p>
      ${mistake === undefined ? '' : html`<p class="mistake" role="alert">${mistake}</p>`}
      <form method="post" action="/signup" class="stack">
        <input type="hidden" name="next" value="${next}" />
        <label>Full name <input name="fullName" autocomplete="name" required maxlength="100" /></label>
        <label>Email <input name="email" type="email" autocomplete="email" required maxlength="200" /></label>
        <button class="primary">Sign up</button>
      </form>
      <p class="muted">Already have one? <a href="/?sign-in">Sign in</a></p>`,
  });

export const messagePage = (title: string, text: string, member?: Member): Markup =>
  page({
    title,
    narrow: true,
    member,
    body: html`<h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/">Back to the boards</a></p>`,
  });
