import { html } from 'hono/html';
import { page } from '../../common/page.ts';
import type { ReturnAddress } from './authorize-request.ts';
import { style } from './style.ts';

/** Sends the answer to the app the way it asked for: in the query, in the fragment, or as a form that posts itself. */
export const answerApp = async (
  { redirectUri, mode }: Pick<ReturnAddress, 'redirectUri' | 'mode'>,
  answer: Record<string, string>,
): Promise<Response> => {
  if (mode === 'form_post') {
    const fields = Object.entries(answer).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    );
    return page({
      title: 'Working…',
      style,
      body: html`<main><form method="post" action="${redirectUri}">${fields}<noscript><p>Script is off. Press the button to go on.</p></noscript><div class="buttons"><button class="main">Continue</button></div></form></main>`,
      script: 'document.forms[0].submit()',
    });
  }
  const parameters = new URLSearchParams(answer).toString();
  const joint = mode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return new Response(null, {
    status: 302,
    headers: { Location: `${redirectUri}${joint}${parameters}`, 'Cache-Control': 'no-store' },
  });
};
