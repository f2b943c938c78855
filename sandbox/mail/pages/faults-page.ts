import { html } from 'hono/html';
import type { Fault } from '../../common/faults.ts';
import type { World } from '../world.ts';
import { shell } from './shell.ts';
import type { Visitor } from './visitor.ts';

/** Each form says which control route it posts to; names with a dot make nested objects, empty fields stay out. */
const script = `
const read = (form) => {
  const body = {};
  for (const field of form.elements) {
    if (!field.name || (field.type !== 'checkbox' && field.value === '')) continue;
    const value = field.type === 'checkbox' ? field.checked : field.type === 'number' || field.dataset.type === 'number' ? Number(field.value) : field.value;
    const path = field.name.split('.');
    const last = path.pop();
    let at = body;
    for (const part of path) at = at[part] ??= {};
    at[last] = value;
  }
  return body;
};
const say = (form, text) => { form.querySelector('[role=status]').textContent = text; };
for (const form of document.querySelectorAll('form[data-control]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const body = { ...read(form), ...JSON.parse(event.submitter?.dataset.body ?? '{}') };
    const method = event.submitter?.dataset.method ?? 'POST';
    const answer = await fetch(form.dataset.control, { method, headers: { 'content-type': 'application/json' }, ...(method === 'POST' ? { body: JSON.stringify(body) } : {}) });
    if (answer.ok) location.reload();
    else say(form, (await answer.json().catch(() => ({}))).error ?? 'That did not work.');
  });
}
`;

const status = html`<span role="status" class="bad"></span>`;

const described = ({ kind, status: code, ms, times, rate, retryAfter, match }: Fault): string =>
  [
    `${match.method ?? 'any method'} ${match.path ?? 'any path'}:`,
    kind === 'accept_then' ? 'does the work, then' : '',
    kind === 'latency'
      ? `waits ${ms ?? 1000} ms`
      : kind === 'reset' || code === undefined
        ? 'hangs up'
        : `answers ${code}`,
    retryAfter === undefined ? '' : `(Retry-After ${retryAfter})`,
    times === undefined ? 'every time' : `${times} more time(s)`,
    rate === undefined ? '' : `for ${Math.round(rate * 100)} % of requests`,
  ]
    .filter(Boolean)
    .join(' ');

const faultForm = (faults: Fault[]) => html`<section class="card"><h2>Answers go wrong</h2>
${faults.length === 0 ? html`<p class="soft">No fault is set.</p>` : html`<ul>${faults.map((fault) => html`<li>${described(fault)}</li>`)}</ul>`}
<form data-control="/_control/faults"><div class="stack"><label>Kind<select name="kind"><option value="status">Answer a status</option><option value="latency">Be slow</option><option value="accept_then">Do it, then fail</option><option value="reset">Hang up</option></select></label>
<label>Method<select name="match.method"><option value="">any</option><option>GET</option><option>POST</option><option>PATCH</option><option>DELETE</option></select></label>
<label>Path begins with, or expression<input name="match.path" placeholder="/v1.0/me/sendMail"></label><label>Status<input name="status" type="number" min="400" max="599" value="503"></label>
<label>Retry-After, s<input name="retryAfter" type="number" min="0"></label><label>Milliseconds<input name="ms" type="number" min="0"></label><label>Times<input name="times" type="number" min="1"></label><label>Rate, 0 to 1<input name="rate" type="number" min="0" max="1" step="any"></label>
<button class="main">Set fault</button><button data-method="DELETE" formnovalidate>Clear all</button></div>${status}</form></section>`;

const notificationForm = ({ outgoing }: World['control']) => {
  const { drop, duplicate, delayMs, shuffle, pause } = outgoing.faults;
  return html`<section class="card"><h2>Notifications go wrong</h2><form data-control="/_control/notifications"><div class="stack">
<label>Dropped, 0 to 1<input name="drop" type="number" min="0" max="1" step="any" value="${drop}"></label><label>Doubled, 0 to 1<input name="duplicate" type="number" min="0" max="1" step="any" value="${duplicate}"></label><label>Delay, ms<input name="delayMs" type="number" min="0" value="${delayMs}"></label>
<label><input name="shuffle" type="checkbox"${shuffle ? html` checked` : ''}> Shuffled</label><label><input name="pause" type="checkbox"${pause ? html` checked` : ''}> Paused</label><button class="main">Apply</button></div>${status}</form></section>`;
};

const clockForm = (
  now: number,
) => html`<section class="card"><h2>Time</h2><p>In the sandbox it is <time>${new Date(now).toISOString()}</time>.</p>
<form data-control="/_control/clock"><div class="actions"><button data-body='{"advanceMs":60000}'>+ 1 minute</button><button data-body='{"advanceMs":3600000}'>+ 1 hour</button><button data-body='{"advanceMs":86400000}'>+ 1 day</button><button data-body='{"advanceMs":259200000}'>+ 3 days</button></div>${status}</form></section>`;

const tokenForm = (
  world: World,
) => html`<section class="card"><h2>Credentials die</h2><form data-control="/_control/tokens"><div class="stack">
<label>Whose<select name="user"><option value="">everyone's</option>${signable(world).map(({ address }) => html`<option>${address}</option>`)}</select></label>
<button data-body='{"expire":true}'>Expire access tokens</button><button data-body='{"revoke":true}'>Revoke all tokens</button><button data-body='{"interaction":true}'>Demand a new sign-in</button></div>${status}</form></section>`;

const consentForm = (world: World) => {
  const mode = world.tokens.consentMode;
  return html`<section class="card"><h2>Consent</h2><p>${mode.mode === 'auto' ? `Sign-in answers at once as ${mode.as}.` : 'Sign-in asks in the browser.'}</p><form data-control="/_control/consent"><div class="actions">
<button data-body='{"mode":"ask"}'>Ask</button>${signable(world).map(({ address }) => html`<button data-body="${JSON.stringify({ mode: 'auto', as: address })}">At once as ${address}</button>`)}</div>${status}</form></section>`;
};

const deliverForm = (
  world: World,
) => html`<section class="card"><h2>A mail arrives</h2><form data-control="/_control/deliver" class="compose">
<label>To<select name="to">${[...world.people.values()].slice(0, 50).map(({ address }) => html`<option>${address}</option>`)}</select></label><label>From<input name="from" value="grace@outside.test" required></label><label>Subject<input name="subject" value="A question" required></label><label>Text<textarea name="body">Could you tell me when you open tomorrow?</textarea></label>
<button class="main">Deliver</button>${status}</form></section>`;

const signable = (world: World) => [...world.people.values()].filter(({ password }) => password !== '').slice(0, 20);

const requests = ({
  log,
}: World['control']) => html`<section class="card"><h2>Latest API requests</h2><div class="scroll"><table><thead><tr><th>Time</th><th>Request</th><th>Status</th><th>Who</th><th>ms</th></tr></thead><tbody>
${log
  .latest(40, (path) => path.startsWith('/v1.0') || path.includes('/oauth2/'))
  .map(
    ({ at, method, path, status: code, user, ms }) =>
      html`<tr><td>${at.slice(11, 19)}</td><td>${method} ${path}</td><td>${code}</td><td>${user ?? ''}</td><td>${ms}</td></tr>`,
  )}</tbody></table></div></section>`;

const resetForm = html`<section class="card"><h2>Start over</h2><form data-control="/_control/reset"><p class="soft">Brings back the seeded people and mail, real time and no faults.</p><button data-body="{}">Reset the sandbox</button>${status}</form></section>`;

export const faultsPage = (world: World, visitor: Visitor | undefined): Promise<Response> =>
  shell({
    title: 'Faults',
    here: 'faults',
    person: visitor?.person,
    script,
    body: html`<main class="page"><h1>Faults</h1><p class="soft">Make the service misbehave and see what your programme does. Everything here is also under <code>/_control</code>.</p>
${faultForm(world.control.faults.list())}${notificationForm(world.control)}${clockForm(world.now())}${tokenForm(world)}${consentForm(world)}${deliverForm(world)}${requests(world.control)}${resetForm}</main>`,
  });
