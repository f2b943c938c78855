import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What keeps people from using a page. Nothing is told of what is well, and no page is opened to tell it, as both take longer than looking. */
export const axe = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
