import { randomBytes } from 'node:crypto';
import { html, raw } from 'hono/html';

type Markup = ReturnType<typeof html>;

type PageParts = {
  title: string;
  style: string;
  body: Markup;
  script?: string | undefined;
  status?: number | undefined;
  headers?: Record<string, string> | undefined;
};

/** The icon is part of the page, so that no browser asks for another. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23b45309'/%3E%3Cpath d='M4 5h8v6H4z' fill='none' stroke='%23fff'/%3E%3Cpath d='m4 5 4 3 4-3' fill='none' stroke='%23fff'/%3E%3C/svg%3E";

/** A page for people. Nothing outside loads: styles and the one script carry a nonce, all else is refused. */
export const page = async ({ title, style, body, script, status, headers }: PageParts): Promise<Response> => {
  const nonce = randomBytes(12).toString('base64');
  const code = script === undefined ? '' : html`<script nonce="${nonce}">${raw(script)}</script>`;
  const text = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${raw(icon)}">
<style nonce="${nonce}">${raw(style)}</style>
</head>
<body>
${body}
${code}
</body>
</html>`;
  const policy = `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'self'`;
  return new Response(String(text), {
    status: status ?? 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  });
};
