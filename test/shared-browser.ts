import { chromium } from 'playwright-core';
import { ensureBrowser } from '../scripts/test/browser.ts';
import type { Shared } from './desk.ts';

/** One Chromium for the whole run; test files get windows of their own in it. */
export const startSharedBrowser = async (): Promise<Shared<{ endpoint: string }>> => {
  const found = await ensureBrowser();
  if (found.path === undefined) throw new Error(found.remedy);
  const server = await chromium.launchServer({
    executablePath: found.path,
    // Pages live for seconds here: what is compiled well takes longer than it saves.
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--single-threaded,--no-maglev,--no-turbofan'],
    host: '127.0.0.1',
  });
  return { terms: { endpoint: server.wsEndpoint() }, close: () => server.close() };
};
