import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectBrowser } from '../../common/connect-browser.ts';
import { wellKnownFolder } from '../messages/find.ts';
import { openPages, type Pages } from './test-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

const text = (content: string) => ({ contentType: 'text' as const, content });
const html = (content: string) => ({ contentType: 'html' as const, content });
const folder = ({ world }: Pages, address: string, name: string) => {
  const mailbox = world.mailboxOf(address);
  if (mailbox === undefined) throw new Error(`no mailbox ${address}`);
  return wellKnownFolder(mailbox, name);
};

test('a click opens a mailbox, and switching leads back to the people', async () => {
  await using pages = await openPages(browser);
  await pages.signIn('Ada Marsh');
  expect(await pages.page.title()).toContain('Sandbox');
  await pages.page.getByRole('button', { name: 'Switch' }).click();
  await pages.page.getByRole('heading', { name: 'Whose mailbox?' }).waitFor();
  expect(pages.complaints).toEqual([]);
});

test('reading a message marks it read, and it can be marked unread again', async () => {
  await using pages = await openPages(browser);
  pages.arrive('grace@outside.test', 'Opening hours', text('When do you open?'));
  await pages.signIn('Ada Marsh');
  await pages.page.getByRole('link', { name: /Opening hours/ }).click();
  await pages.page.frameLocator('iframe').getByText('When do you open?').waitFor();
  expect(folder(pages, 'ada@sandbox.test', 'inbox').unread).toBe(0);
  await pages.page.getByRole('button', { name: 'Mark unread' }).click();
  await pages.page.locator('li.unread').waitFor();
  expect(folder(pages, 'ada@sandbox.test', 'inbox').unread).toBe(1);
});

test('a mail written here with a file reaches the other mailbox and the outbox', async () => {
  await using pages = await openPages(browser);
  const { page } = pages;
  await pages.signIn('Ada Marsh');
  await page.getByRole('link', { name: 'New mail' }).click();
  await page.getByLabel('To').fill('Ben <ben@sandbox.test>; grace@outside.test');
  await page.getByLabel('Subject').fill('The plan');
  await page.getByLabel('Text').fill('See the file.\nAda');
  await page
    .getByLabel('Attach files')
    .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('step one') });
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('heading', { name: 'Sent Items' }).waitFor();
  expect(pages.world.outbox).toMatchObject([
    { from: 'ada@sandbox.test', to: ['ben@sandbox.test', 'grace@outside.test'], subject: 'The plan' },
  ]);
  const [received] = folder(pages, 'ben@sandbox.test', 'inbox').messages;
  expect(received).toMatchObject({ subject: 'The plan', isRead: false, body: { content: 'See the file.\nAda' } });

  await page.getByRole('link', { name: 'Outbox' }).click();
  await page.getByRole('heading', { name: 'The plan' }).waitFor();
  await page.getByRole('button', { name: 'Switch' }).click();
  await page.getByRole('button', { name: 'Ben Okafor' }).click();
  await page.getByRole('link', { name: /The plan/ }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /plan\.txt/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('plan.txt');
});

test('an answer keeps the thread, quotes, and goes to whom the mail asks for', async () => {
  await using pages = await openPages(browser);
  const { page } = pages;
  pages.arrive('grace@outside.test', 'Hello', text('First line\nSecond line'), {
    replyTo: [{ name: '', address: 'desk@outside.test' }],
  });
  await pages.signIn('Ada Marsh');
  await page.getByRole('link', { name: /Hello/ }).click();
  await page.getByRole('link', { name: 'Reply', exact: true }).click();
  expect(await page.getByLabel('To').inputValue()).toBe('desk@outside.test');
  expect(await page.getByLabel('Text').inputValue()).toContain('> Second line');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('heading', { name: 'Sent Items' }).waitFor();
  const [original] = folder(pages, 'ada@sandbox.test', 'inbox').messages;
  const [sent] = folder(pages, 'ada@sandbox.test', 'sentitems').messages;
  expect(sent).toMatchObject({ subject: 'RE: Hello', conversationId: original?.conversationId });
  expect(pages.world.outbox[0]?.headers).toContainEqual({ name: 'In-Reply-To', value: original?.internetMessageId });
});

test('a draft is kept, continued and sent', async () => {
  await using pages = await openPages(browser);
  const { page } = pages;
  await pages.signIn('Ada Marsh');
  await page.getByRole('link', { name: 'New mail' }).click();
  await page.getByLabel('Subject').fill('Half a thought');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByRole('link', { name: /Half a thought/ }).click();
  await page.getByRole('link', { name: 'Edit draft' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Say whom the mail is for.').waitFor();
  await page.getByLabel('To').fill('not an address');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('is not an address').waitFor();
  await page.getByLabel('To').fill('ben@sandbox.test');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('heading', { name: 'Sent Items' }).waitFor();
  expect(folder(pages, 'ada@sandbox.test', 'drafts').messages).toEqual([]);
  expect(pages.world.outbox).toHaveLength(1);
});

test('a message moves to another folder and from the bin into nothing', async () => {
  await using pages = await openPages(browser);
  const { page } = pages;
  pages.arrive('grace@outside.test', 'Wandering', text('…'));
  await pages.signIn('Ada Marsh');
  await page.getByRole('link', { name: /Wandering/ }).click();
  await page.getByLabel('Move to').selectOption({ label: 'Letters' });
  await page.getByText('Nothing here.').waitFor();
  await page.getByRole('link', { name: 'Letters' }).click();
  await page.getByRole('link', { name: /Wandering/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'Deleted Items' }).click();
  await page.getByRole('link', { name: /Wandering/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nothing here.').waitFor();
  expect(pages.world.mailboxOf('ada@sandbox.test')?.messages.size).toBe(0);
});

test('outside content stays inert: no script runs, nothing loads, nothing leaves', async () => {
  await using pages = await openPages(browser);
  const { page, caught } = pages;
  const attack = `<script>parent.document.title='owned';fetch('http://evil.example/a')</script>
<img src="http://evil.example/pixel.png" onerror="parent.document.title='owned'"><link rel="stylesheet" href="http://evil.example/x.css">
<style>body{background:url(http://evil.example/bg.png)} @import url(http://evil.example/i.css);</style><iframe src="http://evil.example/frame"></iframe>
<meta http-equiv="refresh" content="0;url=http://evil.example/refresh"><form action="http://evil.example/form"><button>Win a prize</button></form>
<svg onload="parent.document.title='owned'"></svg><a href="http://evil.example/link" target="_top">Click me</a><object data="http://evil.example/o"></object><video src="http://evil.example/v" autoplay></video>`;
  pages.arrive('<b>eve</b>@evil.example', '<img src=x onerror=alert(1)>', html(attack), {
    attachments: [
      {
        kind: 'file',
        id: '',
        name: '../../<b>x</b>.html',
        contentType: 'text/html',
        size: 20,
        isInline: false,
        contentId: null,
        modified: 0,
      },
    ],
  });
  await pages.signIn('Ada Marsh');
  await page.getByRole('link', { name: /onerror/ }).click();
  const frame = page.frameLocator('iframe');
  await frame.getByText('Click me').waitFor();
  await frame.getByText('Win a prize').click();
  await frame.getByText('Click me').click();
  await page.reload();
  await frame.getByText('Click me').waitFor();
  expect(await page.title()).not.toBe('owned');
  expect(page.url()).toContain(pages.url);
  expect(await page.locator('h1 img, dd b').count()).toBe(0);
  expect(caught).toEqual([]);
  await page.evaluate(() => window.open('http://evil.example/trap-works'));
  await expect.poll(() => caught).toContainEqual('GET http://evil.example/trap-works HTTP/1.1');
  const file = await page.request.get(
    `${pages.url}${await page.getByRole('link', { name: /x<\/b>\.html/ }).getAttribute('href')}`,
  );
  expect(file.headers()['content-type']).toBe('application/octet-stream');
  expect(file.headers()['content-disposition']).toContain('attachment');
});

test('a picture inside the mail is shown', async () => {
  await using pages = await openPages(browser);
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  pages.arrive('grace@outside.test', 'Picture', html('<img alt="dot" src="cid:dot1">'), {
    attachments: [
      {
        kind: 'file',
        id: '',
        name: 'dot.png',
        contentType: 'image/png',
        size: dot.length,
        isInline: true,
        contentId: 'dot1',
        modified: 0,
        content: dot,
      },
    ],
  });
  await pages.signIn('Ada Marsh');
  await pages.page.getByRole('link', { name: /Picture/ }).click();
  const picture = pages.page.frameLocator('iframe').getByAltText('dot');
  await picture.waitFor();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
});

test('new mail appears by itself', async () => {
  await using pages = await openPages(browser);
  await pages.signIn('Ada Marsh');
  pages.arrive('grace@outside.test', 'Surprise', text('…'));
  await pages.page.getByRole('link', { name: /Surprise/ }).waitFor();
});

test('the fault panel sets faults, time, notifications and credentials', async () => {
  await using pages = await openPages(browser);
  const { page, world } = pages;
  const token = world.tokens.tokenFor({
    userId: 'u',
    username: 'ada@sandbox.test',
    displayName: 'Ada',
    tenantId: 't',
    personal: false,
  });
  await page.goto(`${pages.url}/faults`);
  await page.getByLabel('Path begins with').fill('/v1.0/me/sendMail');
  await page.getByLabel('Times').fill('2');
  await page.getByRole('button', { name: 'Set fault' }).click();
  await page.getByText('any method /v1.0/me/sendMail: answers 503 2 more time(s)').waitFor();
  expect(world.control.faults.list()).toMatchObject([{ kind: 'status', status: 503, times: 2 }]);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('No fault is set.').waitFor();

  await page.getByLabel('Path begins with').fill('/me(');
  await page.getByRole('button', { name: 'Set fault' }).click();
  await page.getByText('neither a prefix nor a regular expression').waitFor();

  const before = world.now();
  // The page comes anew after each order; what is typed before that is gone.
  const renewed = page.waitForEvent('load');
  await page.getByRole('button', { name: '+ 1 day' }).click();
  await expect.poll(() => world.now() - before).toBeGreaterThan(86_000_000);
  await renewed;
  await page.getByLabel('Dropped').fill('0.5');
  await page.getByLabel('Paused').check();
  const applied = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => world.control.outgoing.faults).toMatchObject({ drop: 0.5, pause: true, shuffle: false });
  await applied;
  await page.getByLabel('Whose').selectOption('ada@sandbox.test');
  const revoked = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Revoke all tokens' }).click();
  await expect.poll(() => world.tokens.check(token)).toBeUndefined();
  await revoked;
  await page.getByRole('button', { name: 'At once as ben@sandbox.test' }).click();
  await page.getByText('Sign-in answers at once as ben@sandbox.test.').waitFor();
});

test('an address that is gone, or nobody signed in, leads back', async () => {
  await using pages = await openPages(browser);
  const { page } = pages;
  await page.goto(`${pages.url}/mail/inbox`);
  await page.getByRole('heading', { name: 'Whose mailbox?' }).waitFor();
  await pages.signIn('Ada Marsh');
  for (const path of [
    '/mail/nowhere',
    '/mail/inbox/nothing',
    '/compose?reply=nonsense',
    '/mail/inbox/AAMk/attachments/x',
  ])
    expect((await page.goto(`${pages.url}${path}`))?.status()).toBe(404);
  await page.getByRole('link', { name: 'Back to the mailbox' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
});
