import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Workbench, workbench } from '#test';
import { connectBrowser } from '../../test/browser.ts';
import { endWithFile } from '../../test/endings.ts';
import { shared } from '../../test/shared.ts';

let browser: Promise<Browser> | undefined;
let bench: Promise<Workbench> | undefined;

const fileBrowser = (): Promise<Browser> => {
  if (browser === undefined)
    endWithFile(async () => {
      const connected = await browser;
      browser = undefined;
      await connected?.close();
    });
  browser ??= connectBrowser();
  return browser;
};

/** The file's own Switchboard, which serves the web app where its links lead. */
export const fileBench = (): Promise<Workbench> => {
  if (bench === undefined)
    endWithFile(async () => {
      const started = await bench;
      bench = undefined;
      await started?.[Symbol.asyncDispose]();
    });
  bench ??= workbench({ mail: true, model: true, reachable: true });
  return bench;
};

/** What the browser said against a page, and what it fetched from another place. */
const listenTo = (page: Page, origin: string) => {
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    // The browser notes every refusal as an error; here it may only mean that nobody is signed in.
    if (message.type() === 'error' && !/status of 4/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) elsewhere.push(request.url());
  });
  return { complaints, elsewhere };
};

const signIn = async (context: BrowserContext, { signInAsOwner, origin }: Workbench) => {
  const [name = '', value = ''] = (await signInAsOwner()).split('=');
  await context.addCookies([{ name, value, url: origin, httpOnly: true }]);
};

/** The web app in a window of its own, on a real Switchboard; all that went wrong in it is kept. */
export const openApp = async (
  options: {
    signedIn?: boolean;
    width?: number;
    colorScheme?: 'light' | 'dark';
    reducedMotion?: 'reduce';
    /** Where the person sits. */
    timezoneId?: string;
    path?: string;
    /** Instead of the Switchboard that all sentences of the file share. */
    bench?: Workbench;
  } = {},
) => {
  const { signedIn = true, width = 1440, colorScheme = 'light', path = '/', reducedMotion, timezoneId } = options;
  await shared('bundle');
  const on = options.bench ?? (await fileBench());
  const context = await (await fileBrowser()).newContext({
    viewport: { width, height: 900 },
    colorScheme,
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
    ...(timezoneId === undefined ? {} : { timezoneId }),
  });
  if (signedIn) await signIn(context, on);
  const page = await context.newPage();
  // Patient with a busy machine.
  page.setDefaultTimeout(45_000);
  const heard = listenTo(page, on.origin);
  await page.goto(new URL(path, on.origin).href);
  return { page, context, bench: on, ...heard, [Symbol.asyncDispose]: () => context.close() };
};
