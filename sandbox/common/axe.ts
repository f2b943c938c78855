import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const Violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

// The binding to Playwright brings axe into each page twice and tells what is well, too, which takes longer than looking.
const binding = createRequire(fileURLToPath(import.meta.resolve('@axe-core/playwright')));
const source = readFileSync(binding.resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps people from using a page, by axe's rules. Frames are not entered. */
export const violationsIn = async (page: Page, { without = [] as string[] } = {}) => {
  // Once for a page, however often it is looked at.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const context = JSON.stringify({ include: [['html']], exclude: without.map((selector) => [selector]) });
  const run = `axe.run(${context}, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations))`;
  return Violations.parse(JSON.parse(z.string().parse(await page.evaluate(run))));
};
