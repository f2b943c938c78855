import { chromium } from 'playwright-core';
import type { Shared } from './desk.ts';

/** One Chromium for the whole run; test files get windows of their own in it. */
export const startSharedBrowser = async (): Promise<Shared<{ endpoint: string }>> => {
  const server = await chromium.launchServer({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
    host: '127.0.0.1',
  });
  return { terms: { endpoint: server.wsEndpoint() }, close: () => server.close() };
};
