import { expect, test } from 'vitest';
import { fileBench, openApp } from '../web/test/browser.ts';

test('a new owner opens the printed link, presses the button and is in; the page breaks no rule of its own', async () => {
  const { pathname } = new URL(await (await fileBench()).signInLink());
  await using visit = await openApp({ signedIn: false, path: pathname });
  const { page, complaints, elsewhere } = visit;
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const first = await ground();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('My workspace').filter({ visible: true }).first().waitFor();
  await page.getByText('owner@switchboard.local').filter({ visible: true }).first().waitFor();
  // The page with the button looks like those behind it.
  expect(first).toBe(await ground());
  expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
});

test('a signed-in owner finds their workspace at once', async () => {
  await using visit = await openApp({ colorScheme: 'dark' });
  await visit.page.getByText('My workspace').filter({ visible: true }).first().waitFor();
  expect(visit.complaints).toEqual([]);
});

test('the reference can be read on a phone without sideways scrolling', async () => {
  await using visit = await openApp({ signedIn: false, width: 390, path: '/docs' });
  await visit.page.getByText('/v1/steps/{id}/run').first().click();
  const [wide, shown] = await visit.page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(wide).toBeLessThanOrEqual(shown ?? 0);
});
