import { chromium } from 'playwright-core';
import { ensureBrowser } from '../scripts/test/browser.ts';
import type { Shared } from './desk.ts';

/** One Chromium for the whole run; test files get windows of their own in it. */
export const startSharedBrowser = async (): Promise<Shared<{ endpoint: string }>> => {
  const found = await ensureBrowser();
  if (found.path === undefined) throw new Error(found.remedy);
  const server = await chromium.launchServer({
    executablePath: found.path,
    args: ['--no-sandbox', '--disable-gpu'],
    host: '127.0.0.1',
  });
  return { terms: { endpoint: server.wsEndpoint() }, close: () => server.close() };
};
