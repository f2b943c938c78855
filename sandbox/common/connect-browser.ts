import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';
import { z } from 'zod';

const Terms = z.object({ endpoint: z.string() });

/** The one Chromium of a test run, as its desk tells where it is; closing it ends only what was opened here. */
export const connectBrowser = async (): Promise<Browser> => {
  const answer = await fetch(`${inject('desk')}/browser`);
  if (!answer.ok) throw new Error(`No browser for this test: ${await answer.text()}`);
  return chromium.connect(Terms.parse(await answer.json()).endpoint);
};
