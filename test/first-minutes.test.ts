import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { scratchFolder } from '#store';
import { type Running, startProcess } from '../prove/harness/processes.ts';
import { connectBrowser } from './browser.ts';
import { freshDatabase } from './database.ts';
import { freePorts } from './free-ports.ts';
import { shared } from './shared.ts';

const patience = 45_000;
const mostClicks = 25;

/** The link that the start prints for people. */
const printedLink = async ({ output }: Running): Promise<string> => {
  const link = () => /http:\/\/\S+\/sign-in\/\S+/.exec(output())?.[0];
  await expect.poll(link).toBeDefined();
  return link() ?? '';
};

/** Counts what a person does with the mouse and types into fields, in every page of the window. */
const countClicks = async (page: Page): Promise<() => number> => {
  let clicks = 0;
  await page.context().exposeFunction('noteClick', () => (clicks += 1));
  await page.context().addInitScript("addEventListener('click', () => noteClick(), { capture: true })");
  return () => clicks;
};

type Items<T> = { items: T[] };
const read = async <T>(page: Page, path: string): Promise<T> => {
  const answer = await page.request.get(new URL(path, page.url()).href);
  return (await answer.json()) as T;
};

test('a newcomer gets from the start to an answer in the mailbox by what the pages offer, and a restart loses nothing', async () => {
  await shared('bundle');
  await using database = await freshDatabase();
  await using folder = await scratchFolder();
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: database.connectionString,
    DATABASE_POOL: '7',
    SANDBOX_PORT: String(await freePorts(3)),
  };
  const browser = await connectBrowser();
  let house = await startProcess('start', environment);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(patience);
    const clicks = await countClicks(page);
    const press = (role: 'button' | 'link', name: string | RegExp) => page.getByRole(role, { name }).first().click();

    await page.goto(await printedLink(house));
    await press('button', 'Sign in');
    await press('link', 'Look and decide');
    await page.getByText('luis@contoso.example').first().waitFor();
    await press('button', /^Approve/);
    await page
      .getByText(/Sent|approved/i)
      .first()
      .waitFor();

    await press('link', 'Tour & faults');
    await press('button', 'Send the mail');
    await press('link', 'Look at it and decide');
    await press('button', /^Approve/);
    await page.goBack();
    await page.getByText(/left ada@sandbox.test for/).waitFor();
    const opened = page.waitForEvent('popup');
    await press('link', /Read it in the sandbox mailbox/);
    const mailbox = await opened;
    await mailbox.getByText('ben@sandbox.test').first().click();
    await mailbox.getByText(/^re: /i).first().click();
    await mailbox.getByText(/thank/i).first().waitFor();
    expect(clicks()).toBeGreaterThan(6);
    expect(clicks()).toBeLessThan(mostClicks);

    await house.stop();
    house = await startProcess('start', { ...environment, PORT: new URL(house.origin).port });
    await expect
      .poll(
        async () => {
          const { items } = await read<Items<{ id: string; state: string }>>(page, '/v1/accounts');
          const path = (id: string) => new URL(`/v1/accounts/${id}/test`, page.url()).href;
          const headers = { 'x-switchboard-csrf': '1' };
          const tests = items.map(async ({ id }) => (await page.request.post(path(id), { headers, data: {} })).json());
          return (await Promise.all(tests)).map(({ works }) => works);
        },
        { timeout: patience },
      )
      .toEqual([true, true, true]);
  } finally {
    await browser.close();
    await house.stop();
  }
}, 180_000);
