import { html } from 'hono/html';
import type { Member } from '../model.ts';
import type { Session } from '../sessions.ts';
import { type Markup, page } from './layout.ts';

type Consent = {
  app: string;
  member: Member;
  session: Session;
  grants: string[];
  lasting: string;
  action: string;
  /** Echoed to the form's target, so that the decision is about what was shown. */
  request: Record<string, string>;
};

export const consentPage = ({ app, member, session, grants, lasting, action, request }: Consent): Markup =>
  page({
    title: `Allow ${app}?`,
    narrow: true,
    member,
    body: html`<div class="consent">
      <p class="pair" aria-hidden="true">
        <span class="app-mark">${app.slice(0, 1).toUpperCase()}</span><span class="dots"></span>
        <span class="avatar large">${member.initials}</span>
      </p>
      <h1>Allow <em>${app}</em> to use your account?</h1>
      <p class="muted">You are signed in as ${member.fullName} (${member.email}).</p>
      <ul class="ticks">
        ${grants.map((grant) => html`<li>${grant}</li>`)}
      </ul>
      <p class="muted">${lasting}</p>
      <form method="post" action="${action}" class="row">
        ${Object.entries(request).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <input type="hidden" name="csrf" value="${session.csrf}" />
        <button name="decision" value="deny">Deny</button>
        <button class="primary" name="decision" value="allow">Allow</button>
      </form>
    </div>`,
  });

export const tokenPage = (token: string, app: string, member: Member): Markup =>
  page({
    title: 'Your token',
    narrow: true,
    member,
    body: html`<h1>Your token</h1>
      <p>You granted access to <strong>${app}</strong>. Copy this token into the app; it is as good as your password.</p>
      <pre class="secret"><code id="token">${token}</code></pre>
      <p class="muted">You can revoke it at any time with <code>DELETE /1/tokens/{token}</code>.</p>`,
  });

/** For callback_method=postMessage: a popup that tells its opener and closes. */
export const postMessagePage = (message: { token?: string; error?: string }, origin: string): Markup =>
  page({
    title: 'One moment',
    narrow: true,
    script: 'post-message.js',
    body: html`<p id="message" data-message="${message.token ?? message.error ?? ''}" data-origin="${origin}">
      Handing over… this window can be closed.
    </p>`,
  });
