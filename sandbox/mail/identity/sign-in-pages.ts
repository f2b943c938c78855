import { html } from 'hono/html';
import { page } from '../../common/page.ts';
import type { Outcome } from './authorize.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import { describe, type IdentityProblem, type Trace } from './problems.ts';
import { openIdScopes, scopeInfo } from './scopes.ts';
import { style } from './style.ts';
import type { TokenSubject } from './tokens.ts';

type Markup = ReturnType<typeof html>;
type Shown = Extract<Outcome, { show: string }>;

const brand = html`<div class="brand"><svg viewBox="0 0 22 22" aria-hidden="true"><rect width="10" height="10" fill="#b45309"/><rect x="12" width="10" height="10" fill="#0f766e"/><rect y="12" width="10" height="10" fill="#1d4ed8"/><rect x="12" y="12" width="10" height="10" fill="#a16207"/></svg>Identity <em>Sandbox</em></div>`;

const card = (title: string, body: Markup, more: { aside?: Markup; status?: number } = {}) =>
  page({
    title: `${title} · Sandbox identity`,
    style,
    status: more.status,
    body: html`<main>${brand}${body}</main>${more.aside ?? ''}`,
  });

/** Forms post back to the address they came from, which carries the app's request. */
const form = (content: Markup, user?: TokenSubject) =>
  html`<form method="post">${user === undefined ? '' : html`<input type="hidden" name="user" value="${user.userId}">`}${content}</form>`;

const person = (subject: TokenSubject) => html`<li><button name="user" value="${subject.userId}">
<span class="face" aria-hidden="true">${subject.displayName.slice(0, 1)}</span>
<span><b>${subject.displayName}</b>${subject.username}<br><span class="soft">${subject.personal ? 'Personal account' : 'Work account'}</span></span></button></li>`;

const peopleList = (people: TokenSubject[]) =>
  html`<form method="post"><input type="hidden" name="action" value="pick"><ul class="people">${people.map(person)}</ul></form>`;

const who = (subject: TokenSubject) =>
  html`<form method="post" class="who"><input type="hidden" name="action" value="other"><button aria-label="Use another account" title="Use another account">←</button><span>${subject.username}</span></form>`;

const quick = (people: TokenSubject[]) =>
  html`<aside><h2>People of this sandbox</h2><p class="soft">One click signs you in; no password needed.</p>${peopleList(people)}</aside>`;

const signIn = (username: string, mistake: string | undefined, people: TokenSubject[]) =>
  card(
    'Sign in',
    html`<h1>Sign in</h1>${form(html`${mistake === undefined ? '' : html`<p class="mistake" role="alert">${mistake}</p>`}
<label>Email address<input class="field" name="username" type="email" autocomplete="username" value="${username}" required autofocus></label>
<p class="soft">Every password here is “sandbox”.</p>
<div class="buttons"><button class="main" name="action" value="username">Next</button><button name="action" value="cancel" formnovalidate>Cancel</button></div>`)}`,
    { aside: quick(people) },
  );

const password = (subject: TokenSubject, mistake: string | undefined) =>
  card(
    'Enter password',
    html`${who(subject)}<h1>Enter password</h1>${form(
      html`<input type="hidden" name="action" value="password">
${mistake === undefined ? '' : html`<p class="mistake" role="alert">${mistake}</p>`}
<label>Password<input class="field" name="password" type="password" autocomplete="current-password" required autofocus></label>
<div class="buttons"><button class="main">Sign in</button></div>`,
      subject,
    )}`,
  );

const pick = (subjects: TokenSubject[], appName: string) =>
  card(
    'Pick an account',
    html`<h1>Pick an account</h1><p>to continue to ${appName}</p>${peopleList(subjects)}
${form(html`<div class="buttons"><button name="action" value="other">Use another account</button></div>`)}`,
  );

const permission = (scope: string) => {
  const info = scopeInfo(scope);
  return html`<details><summary>${info?.label ?? scope}</summary><p>${info?.detail ?? 'A permission the app asks for.'} <code>${info?.name ?? scope}</code></p></details>`;
};

const askable = (scopes: string[]) => scopes.filter((scope) => !openIdScopes.has(scope) || scope === 'offline_access');

const consent = (subject: TokenSubject, scopes: string[], appName: string) =>
  card(
    'Permissions requested',
    html`${who(subject)}<h1>Permissions requested</h1><p><b>${appName}</b></p><p>This application is not published by anyone: it runs in your sandbox.</p>
<p>This app would like to:</p>${askable(scopes).map(permission)}
<p class="soft">Accepting these permissions means that you allow this app to use your data as specified. You can change these permissions later.</p>
${form(html`<div class="buttons"><button name="action" value="cancel">Cancel</button><button class="main" name="action" value="accept">Accept</button></div>`, subject)}`,
  );

const adminNeeded = (subject: TokenSubject, scopes: string[], appName: string) =>
  card(
    'Need admin approval',
    html`${who(subject)}<h1>Need admin approval</h1><p><b>${appName}</b></p>
<p>${appName} needs permission to access resources in your organization that only an admin can grant. Please ask an admin to grant permission to this app before you can use it.</p>
${scopes.filter((scope) => scopeInfo(scope)?.adminOnly === true).map(permission)}
<p class="soft">AADSTS90094</p>
${form(html`<div class="buttons"><button name="action" value="give-up">Return to the app without granting consent</button><button class="main" name="action" value="approve">Approve as the sandbox's administrator</button></div>`, subject)}`,
  );

const refused = (subject: TokenSubject, problem: IdentityProblem, trace: Trace) =>
  card(
    'Trouble signing you in',
    html`${who(subject)}<h1>Sorry, but we're having trouble signing you in.</h1><p>${problem.message}</p><p><code>${describe(problem, trace)}</code></p>
${form(html`<div class="buttons"><button name="action" value="give-up">Back to the app</button><button class="main" name="action" value="other">Use another account</button></div>`, subject)}`,
  );

export const outcomePage = (outcome: Shown, request: AuthorizeRequest, people: TokenSubject[], trace: Trace) => {
  const { name } = request.app;
  switch (outcome.show) {
    case 'sign-in':
      return signIn(outcome.username, outcome.mistake, people);
    case 'password':
      return password(outcome.subject, outcome.mistake);
    case 'pick':
      return pick(outcome.subjects, name);
    case 'consent':
      return consent(outcome.subject, outcome.scopes, name);
    case 'admin-needed':
      return adminNeeded(outcome.subject, outcome.scopes, name);
    case 'refused':
      return refused(outcome.subject, outcome.problem, trace);
  }
};

/** For mistakes that may not be told to the return address. */
export const problemPage = (problem: IdentityProblem, trace: Trace) =>
  card(
    'Trouble signing you in',
    html`<h1>Sorry, but we're having trouble signing you in.</h1><p>${problem.message}</p><p><code>${describe(problem, trace)}</code></p>`,
    { status: 400 },
  );

export const plainPage = (title: string, text: string) => card(title, html`<h1>${title}</h1><p>${text}</p>`);

export const adminConsentPage = (appName: string, scopes: string[], tenantName: string) =>
  card(
    'Permissions requested',
    html`<h1>Permissions requested</h1><p class="soft">Review for your organization</p><p><b>${appName}</b></p>
<p>This app would like to, for everyone in ${tenantName}:</p>${askable(scopes).map(permission)}
${form(html`<div class="buttons"><button name="action" value="cancel">Cancel</button><button class="main" name="action" value="accept">Accept as the sandbox's administrator</button></div>`)}`,
  );
