import { html, raw } from 'hono/html';

type Markup = ReturnType<typeof html>;

/** A page that works without scripts: a card, or as wide as there is room. Text in it is escaped by `html`. */
export const layout = (title: string, content: Markup | Markup[], look: 'card' | 'wide' = 'card'): Markup =>
  html`${raw('<!doctype html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Switchboard</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="/pages.css" />
      </head>
      <body>
        <header><img src="/favicon.svg" alt="" width="32" height="32" />Switchboard</header>
        <main class="${look}">${content}</main>
      </body>
    </html>`;

/** In the colours of the web app. */
export const stylesheet = `
:root {
  color-scheme: light dark; font: 16px/1.5 ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif;
  --page: light-dark(#f6f7f9, #0b0f17); --raised: light-dark(#ffffff, #131926); --line: light-dark(#dfe3ea, #263042);
  --ink: light-dark(#141a26, #eef1f6); --muted: light-dark(#515c6f, #a2adc0);
  --accent: light-dark(#3f3ad6, #a5a8ff); --accent-strong: light-dark(#3f3ad6, #5b57e8);
}
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: break-word; }
header, main { box-sizing: border-box; max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; align-items: center; gap: .75rem; padding-top: 1.5rem; padding-bottom: 1rem; font-weight: 600; font-size: 1.1rem; }
main { padding-bottom: 4rem; }
main.card { max-width: 34rem; margin-top: 4vh; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--raised); }
header:has(+ .card) { max-width: 34rem; padding: 8vh 0 0; }
@media (max-width: 36rem) { main.card { margin: 1rem; } header:has(+ .card) { padding: 1.5rem 1rem 0; } }
h1 { font-size: 1.5rem; line-height: 1.25; text-wrap: balance; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
.card h1:first-child, .card > :first-child h1 { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
a { color: var(--accent); }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; background: var(--raised); }
summary { padding: .6rem .8rem; cursor: pointer; overflow-wrap: anywhere; }
details > div { padding: 0 .8rem .8rem; }
code, pre { font: .85rem/1.5 ui-monospace, monospace; }
pre { overflow: auto; max-height: 24rem; padding: .8rem; border: 1px solid var(--line); border-radius: .5rem; }
.method { display: inline-block; min-width: 4.5em; font-weight: 700; }
.muted { color: var(--muted); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top; }
button { font: inherit; font-weight: 500; padding: .6rem 1.2rem; border: 1px solid var(--accent-strong); border-radius: .5rem; background: var(--accent-strong); color: #fff; cursor: pointer; }
.card form { display: flex; flex-wrap: wrap; gap: .5rem; }
button[value="deny"] { border-color: var(--line); background: var(--raised); color: var(--ink); }
button:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
