import { html } from 'hono/html';
import type { Fault } from '../../common/faults.ts';
import type { Member, Webhook } from '../model.ts';
import { type Markup, page } from './layout.ts';

const faults: readonly [title: string, body: Record<string, unknown>][] = [
  ['Next 5 requests: too many requests', { kind: 'status', status: 429, times: 5, match: { path: '/1/' } }],
  ['Next 5 requests: server error', { kind: 'status', status: 503, times: 5, match: { path: '/1/' } }],
  [
    'Next write is done, but answered 500',
    { kind: 'accept_then', status: 500, times: 1, match: { method: 'POST', path: '/1/' } },
  ],
  ['Next 5 requests: connection dropped', { kind: 'reset', times: 5, match: { path: '/1/' } }],
  ['Every answer takes two seconds', { kind: 'latency', ms: 2000, match: { path: '/1/' } }],
];

const control = (title: string, api: string, body: Record<string, unknown>, kind = ''): Markup =>
  html`<form data-control="${api}" data-body="${JSON.stringify(body)}" class="inline"><button class="${kind}">${title}</button></form>`;

type Desk = { member: Member | undefined; now: string; struck: Fault[]; webhooks: Webhook[] };

/** The panel from which people let things go wrong. */
export const controlPage = ({ member, now, struck, webhooks }: Desk): Markup =>
  page({
    title: 'Control',
    member,
    script: 'pages.js',
    body: html`<h1>Control</h1>
      <p class="muted">This server stands in for a board service. Here you make time pass and let things go wrong.</p>
      <div class="cards-grid">
        <section class="panel">
          <h2>Time</h2>
          <p>It is <time datetime="${now}">${now.replace('T', ' ').slice(0, 19)}</time> UTC here.</p>
          ${control('One hour later', 'POST /_control/clock', { advanceMs: 3_600_000 })}
          ${control('One day later', 'POST /_control/clock', { advanceMs: 86_400_000 })}
        </section>
        <section class="panel">
          <h2>Faults</h2>
          ${faults.map(([title, body]) => control(title, 'POST /_control/faults', body))}
          <ul>
            ${struck.map(({ kind, status, times }) => html`<li>${kind} ${status ?? ''} ${times === undefined ? 'always' : `${times} more`}</li>`)}
          </ul>
          ${control('Clear all faults', 'DELETE /_control/faults', {})}
        </section>
        <section class="panel">
          <h2>Webhooks</h2>
          ${control('Hold them back', 'POST /_control/notifications', { pause: true })}
          ${control('Deliver each twice', 'POST /_control/notifications', { duplicate: 1 })}
          ${control('Lose half of them', 'POST /_control/notifications', { drop: 0.5 })}
          ${control('Back to normal', 'POST /_control/notifications', { pause: false, duplicate: 0, drop: 0, shuffle: false, delayMs: 0 })}
          <ul class="links">
            ${webhooks.slice(0, 20).map(({ callbackURL, active, consecutiveFailures }) => html`<li><code>${callbackURL}</code> ${active ? 'active' : 'disabled'}, ${consecutiveFailures} failures</li>`)}
          </ul>
          ${webhooks.length === 0 ? html`<p class="muted">Nobody listens yet.</p>` : ''}
        </section>
        <section class="panel">
          <h2>Credentials and state</h2>
          ${control('Expire all tokens', 'POST /_control/tokens', { expire: true })}
          ${control('Revoke all tokens', 'POST /_control/tokens', { revoke: true }, 'danger')}
          ${control('Reset the world', 'POST /_control/reset', {}, 'danger')}
        </section>
      </div>`,
  });
