import { type Browser, chromium } from 'playwright-core';
import { shared } from './shared.ts';

/** The run's Chromium; closing it ends only what was opened here. */
export const connectBrowser = async (): Promise<Browser> => chromium.connect((await shared('browser')).endpoint);
