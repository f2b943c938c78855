import { html, raw } from 'hono/html';

type Markup = ReturnType<typeof html>;

/** A page that works without scripts. Text in it is escaped by `html`. */
export const layout = (title: string, content: Markup | Markup[]): Markup =>
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
        <main>${content}</main>
      </body>
    </html>`;

export const stylesheet = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: #8884; --accent: #2455c3; }
@media (prefers-color-scheme: dark) { :root { --accent: #8fb0ff; } }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
a { color: var(--accent); }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
summary { padding: .6rem .8rem; cursor: pointer; overflow-wrap: anywhere; }
details > div { padding: 0 .8rem .8rem; }
code, pre { font: .85rem/1.5 ui-monospace, monospace; }
pre { overflow: auto; max-height: 24rem; padding: .8rem; border: 1px solid var(--line); border-radius: .5rem; }
.method { display: inline-block; min-width: 4.5em; font-weight: 700; }
.muted { opacity: .75; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top; }
button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .5rem; background: var(--accent); color: Canvas; cursor: pointer; }
button:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
