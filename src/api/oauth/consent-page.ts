import { html } from 'hono/html';
import type { ClientRequest } from '#workspaces';
import { layout } from '../pages/layout.ts';

const allows: Record<ClientRequest['scopes'][number], string> = {
  read: 'List your tools and look at runs',
  run: 'Call tools and steps on the connected accounts: read, and write; whatever would be sent waits until a person has approved it here',
};

const hostOf = (redirectUri: string): string => {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol : host;
};

/** What a person is asked before a program is let in: who asks, for what, and where it goes. */
export const consentPage = (
  { client, scopes, redirectUri, resource }: ClientRequest,
  who: { person: string; workspace: string; word: string },
) =>
  layout(
    'Let a program in',
    html`<h1>Let “${client.name}” use Switchboard?</h1>
      <p>The program calls itself that; nobody has checked it. It asked to be sent back to <strong>${hostOf(redirectUri)}</strong>.</p>
      <p>As <strong>${who.person}</strong>, in the workspace <strong>${who.workspace}</strong>, at <code>${resource}</code>, it may:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${allows[scope]} <span class="muted">(${scope})</span></li>`)}
      </ul>
      <p>It can never approve anything, send by itself, or change settings. Owners see it under Integrations &amp; API Keys and can end this at any time.</p>
      <form method="post" action="/oauth/authorize">
        <input type="hidden" name="request" value="${who.word}" />
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny">Do not allow</button>
      </form>`,
  );

export const signInFirst = (again: string) =>
  layout(
    'Sign in first',
    html`<h1>Sign in first</h1>
      <p>A program asks to use Switchboard for you. <a href="/" target="_blank">Sign in</a> in this browser, then go on here.</p>
      <p><a href="${again}">Go on</a></p>`,
  );

/** `back` leads to the program, for the person to follow. */
export const refusedPage = (why: string, back?: string) =>
  layout(
    'This cannot be allowed',
    html`<h1>This cannot be allowed</h1>
      <p role="alert">${why}</p>
      <p>Nothing was allowed. Go back to the program and start again.</p>
      ${back === undefined ? '' : html`<p>It asked to be sent back to <a href="${back}">${hostOf(back)}</a>; nobody has checked it.</p>`}`,
  );
