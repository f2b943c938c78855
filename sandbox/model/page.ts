import { html } from 'hono/html';
import { page } from '../common/page.ts';
import { type ChatRequest, textOf } from './chat.ts';
import type { Move } from './script.ts';
import { scripts } from './scripts/index.ts';

const style = `
:root { color-scheme: light dark; --back: #f6f5f3; --card: #fff; --text: #1c1917; --soft: #57534e; --line: #d6d3d1; --tag: #b45309; --main: #1d4ed8; }
@media (prefers-color-scheme: dark) { :root { --back: #1c1917; --card: #292524; --text: #f5f5f4; --soft: #a8a29e; --line: #57534e; --tag: #fbbf24; --main: #93c5fd; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 860px; padding: 24px 16px; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 em { font: 600 12px/1 system-ui; color: var(--tag); border: 1px solid; border-radius: 10px; padding: 3px 8px; vertical-align: middle; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; margin: 12px 0; }
h2 { font-size: 16px; margin: 0 0 4px; } p { margin: 4px 0; } .soft { color: var(--soft); }
button { font: inherit; padding: 6px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--main); cursor: pointer; min-height: 36px; }
pre { white-space: pre-wrap; font-size: 13px; max-height: 320px; overflow: auto; }
`;

const script = `
for (const button of document.querySelectorAll('button[data-script]'))
  button.addEventListener('click', async () => {
    await fetch('/_control/script', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name: button.dataset.script }) });
    location.reload();
  });
`;

type Seen = { at: string; script: string; request: ChatRequest; move: Move };

const exchange = ({ at, script: name, request, move }: Seen) => html`<section>
<p class="soft">${at} · ${name} · ${request.messages.length} messages, ${request.tools?.length ?? 0} tools</p>
<details><summary>What it was given</summary>${request.messages.map((message) => html`<p><b>${message.role}</b></p><pre>${textOf(message)}</pre>`)}</details>
<p>${move.say ?? ''}</p>${(move.call ?? []).map((call) => html`<pre>${call.name} ${typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments, null, 2)}</pre>`)}
</section>`;

/** For people: which script is played, and what it was asked lately. */
export const modelPage = (current: string, exchanges: Seen[]): Promise<Response> =>
  page({
    title: 'Model · Sandbox',
    style,
    script,
    body: html`<h1>Model <em>Sandbox: a script, not a model</em></h1>
<p class="soft">Ask for the model <code>sandbox-script</code> at <code>/v1/chat/completions</code>. It plays the script marked below.</p>
${scripts.map(
  ({ name, purpose }) => html`<section><h2>${name}${name === current ? ' (playing)' : ''}</h2><p>${purpose}</p>
${name === current ? '' : html`<button data-script="${name}">Play this script</button>`}</section>`,
)}
<h2>Latest exchanges</h2>${exchanges.length === 0 ? html`<p class="soft">None yet.</p>` : exchanges.slice(-20).toReversed().map(exchange)}`,
  });
