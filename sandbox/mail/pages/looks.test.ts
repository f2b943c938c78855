import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectBrowser } from '../../common/connect-browser.ts';
import { openPages } from './test-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

const authorize = (url: string, more: Record<string, string> = {}) =>
  `${url}/common/oauth2/v2.0/authorize?${new URLSearchParams({
    client_id: 'switchboard-sandbox',
    response_type: 'code',
    redirect_uri: `${url}/callback`,
    scope:
      'openid profile email offline_access User.Read Mail.ReadWrite Mail.Send Calendars.ReadWrite Contacts.ReadWrite',
    ...more,
  })}`;

/** Where pictures are put, when somebody wants to look. */
const directory = process.env['SCREENSHOTS'];

// What is wrong with names, colours and widths shows in these two; pictures are taken of the others, too.
const crossed = [
  { width: 390, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
] as const;
const straight = [
  { width: 390, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
] as const;
const looks = directory === undefined ? crossed : [...crossed, ...straight];

test('sign-in, consent, mailbox, outbox and faults are good to use on a phone by day and on a wide screen at night', async () => {
  await using pages = await openPages(browser, { seeded: true });
  const { page } = pages;
  // Those that hold the most.
  const checked = new Set(['sign-in', 'consent', 'reading', 'compose', 'faults']);
  const shortcomings: string[] = [];
  const look = async (name: string) => {
    for (const { width, colorScheme } of looks) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMedia({ colorScheme });
      for (const each of await pages.shortcomings({ thorough: checked.has(name) }))
        shortcomings.push(`${name} at ${width} px, ${colorScheme}: ${each}`);
      if (directory === undefined) continue;
      mkdirSync(directory, { recursive: true });
      await page.screenshot({ path: `${directory}/${name}-${width}-${colorScheme}.png` });
    }
  };
  pages.arrive('grace@outside.test', 'Opening hours on the public holiday next week', {
    contentType: 'text',
    content: 'Hello Ada,\n\nwhen do you open on Monday?\n\nGrace',
  });
  pages.arrive(
    'ben@sandbox.test',
    'Draft of the quarterly report',
    {
      contentType: 'html',
      content: '<p>Hi Ada,</p><p>here is the <b>draft</b>. Please read chapters two and three.</p><p>Ben</p>',
    },
    {
      attachments: [
        {
          kind: 'file',
          id: '',
          name: 'report.pdf',
          contentType: 'application/pdf',
          size: 240_000,
          isInline: false,
          contentId: null,
          modified: 0,
        },
      ],
    },
  );

  await page.goto(authorize(pages.url));
  await look('sign-in');
  await page.getByLabel('Email address').fill('ada@sandbox.test');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Password').fill('sandbox');
  await look('password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Permissions requested' }).waitFor();
  await look('consent');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('Back in the app: code').waitFor();
  await page.goto(authorize(pages.url, { prompt: 'select_account' }));
  await look('pick');
  await page.goto(authorize(pages.url, { scope: 'OnlineMeetingTranscript.Read.All' }));
  await look('admin');

  await pages.signIn('Ada Marsh');
  await look('inbox');
  await page.getByRole('link', { name: /quarterly report/ }).click();
  await page.frameLocator('iframe').getByText('chapters two').waitFor();
  await look('reading');
  await page.getByRole('link', { name: 'Reply', exact: true }).click();
  await look('compose');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('heading', { name: 'Sent Items' }).waitFor();
  await page.goto(`${pages.url}/outbox`);
  await look('outbox');
  await page.goto(`${pages.url}/faults`);
  await look('faults');
  expect(shortcomings).toEqual([]);
  expect(pages.complaints).toEqual([]);
});

test('an app that wants its answer posted gets it posted by the browser', async () => {
  await using pages = await openPages(browser);
  await pages.page.goto(authorize(pages.url, { response_mode: 'form_post', state: 'x' }));
  await pages.page.getByRole('button', { name: 'Ben Okafor' }).click();
  await pages.page.getByRole('button', { name: 'Accept' }).click();
  await pages.page.getByText('Posted: code state session_state').waitFor();
});
