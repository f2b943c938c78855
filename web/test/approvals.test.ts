import { text } from 'node:stream/consumers';
import { beforeAll, expect, test, vi } from 'vitest';
import { type Answer, bootstrapKey, type Workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';
import { fieldsOf, fromDraft, toDraft } from '../src/pages/approvals/edit-fields.ts';
import { otherFields, placeOf, whenOf } from '../src/pages/approvals/event-when.ts';
import { misleads } from '../src/pages/approvals/misleads.ts';
import { fileBench, openApp } from './browser.ts';

// A busy machine draws slowly.
vi.setConfig({ testTimeout: 60_000 });

let bench: Workbench;
let accountId: string;
beforeAll(async () => {
  bench = await fileBench();
  accountId = await bench.connectMail();
});

const ask = async (subject: string, over: object = {}): Promise<Answer['body']> => {
  const input = { to: ['Ben Okafor <ben@sandbox.test>'], subject, body: 'Hello', ...over };
  const { body } = await bench.owned('POST', '/v1/steps/mail.send_email/run', { accountId, input });
  return body.approval;
};
const left = (subject: string) => bench.mail.world.outbox.filter((mail) => mail.subject === subject);

test('on a phone: what waits is opened from the list, seen as it is, approved, and the next one is offered', async () => {
  await ask('Second in line', { to: Array.from({ length: 25 }, (_, at) => `guest${at}@example.com`) });
  await ask('The offer', {
    to: ['ceo@sandbox.test <zoe@example.com>'],
    bcc: ['eve@sandbox.test'],
    bodyFormat: 'html',
    body: '<p style="color: rgb(11, 107, 70)">Dear <b>Zoe</b>, see <a href="https://evil.example/x">www.bank.example</a></p>',
  });
  await ask('Last in line');
  await using visit = await openApp({ path: '/approvals', width: 390 });
  const { page, complaints, elsewhere } = visit;
  // What waits is in sight, not behind what narrows it.
  const { y } = (await page.getByRole('link', { name: 'Last in line' }).boundingBox()) ?? { y: 900 };
  expect(y).toBeLessThan(450);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('First', { exact: true }).selectOption('Next to expire');
  // All recipients are counted, not only those that a list carries.
  await page.getByText('guest1@example.com and 23 more').waitFor();
  await page.getByRole('link', { name: 'The offer' }).click();

  const letter = page.getByRole('region', { name: 'What would be sent' });
  await letter.getByText('zoe@example.com', { exact: true }).waitFor();
  await letter.getByText('eve@sandbox.test').waitFor();
  await letter.getByText('A link reads “www.bank.example” and leads to https://evil.example/x.').waitFor();
  const words = page.frameLocator('iframe').getByText('Dear Zoe');
  await words.waitFor();
  const colour = () => words.evaluate((node) => getComputedStyle(node).color);
  await expect.poll(colour).toBe('rgb(11, 107, 70)');
  await page.getByRole('button', { name: 'Exact request' }).click();
  await letter.getByText('POST /me/messages', { exact: true }).waitFor();

  const approve = page.getByRole('button', { name: 'Approve' });
  expect(((await approve.boundingBox())?.height ?? 0) >= 44).toBe(true);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  // In letters twice as large all of it is still within reach.
  await page.evaluate('document.documentElement.style.fontSize = "200%"');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('button', { name: 'Rendered' }).click();
  await expect.poll(() => words.evaluate((node) => getComputedStyle(node).fontSize)).toBe('30px');
  await approve.click();
  await page.getByRole('status').getByText('Approved by you').waitFor();
  await page.getByText('It was carried out.').waitFor();
  expect(left('The offer')).toMatchObject([{ to: ['zoe@example.com'], bcc: ['eve@sandbox.test'] }]);

  // In the order that was chosen.
  await page.getByRole('link', { name: 'Next: Second in line' }).click();
  await page.getByRole('heading', { name: 'Second in line' }).waitFor();
  expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
});

test('on a phone: what would be sent along can be opened before it is decided about', async () => {
  const { body: file } = await bench.call('POST', '/v1/files?name=The%20offer%2C%20at%20length.txt', {
    key: bootstrapKey,
    body: 'Twelve pieces',
    headers: { 'content-type': 'text/plain' },
  });
  const approval = await ask('With a file', { attachments: [file.id] });
  await using visit = await openApp({ path: `/approvals/${approval.id}`, width: 360 });
  const { page, complaints } = visit;
  const link = page.getByRole('link', { name: 'Download The offer, at length.txt' });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toBe('The offer, at length.txt');
  expect(await text(await download.createReadStream())).toBe('Twelve pieces');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);

  await bench.owned('POST', `/v1/approvals/${approval.id}/reject`, {});
  await expect.poll(() => link.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('at a desk: Enter in a field sends nothing; what was edited is shown before it is approved', async () => {
  const { id, digest } = await ask('Draft one');
  await using visit = await openApp({ path: `/approvals/${id}` });
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('To', { exact: true }).fill('nobody');
  await page.getByLabel('Subject').fill('Draft two');
  await page.keyboard.press('Enter');
  await page.getByText('"nobody" is not a complete address').waitFor();
  const to = page.getByLabel('To', { exact: true });
  await expect.poll(() => to.getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('To', { exact: true }).fill('cy@sandbox.test\nben@sandbox.test');
  await page.getByLabel('Subject').focus();
  await page.keyboard.press('Enter');

  await page.getByText('Changed, and not sent yet.').waitFor();
  await page.getByRole('heading', { name: 'Draft two' }).waitFor();
  await page.keyboard.press('Enter');
  const { body } = await bench.owned('GET', `/v1/approvals/${id}`);
  expect([body.status, body.digest === digest, left('Draft two').length]).toEqual(['pending', false, 0]);

  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('It was carried out.').waitFor();
  expect(left('Draft two')).toMatchObject([{ to: ['cy@sandbox.test', 'ben@sandbox.test'] }]);
  expect(left('Draft one')).toEqual([]);
  expect(complaints).toEqual([]);
});

test('recipients are typed as people type them, and the format of the body is chosen', async () => {
  const { id } = await ask('Commas', { to: [{ name: 'Okafor, Ben', address: 'ben@sandbox.test' }] });
  await using visit = await openApp({ path: `/approvals/${id}`, width: 390 });
  const { page, complaints } = visit;
  const edit = page.getByRole('button', { name: 'Edit' });
  await edit.click();
  await page.getByRole('button', { name: 'Leave as it was' }).click();
  await expect.poll(() => edit.evaluate((button) => button === document.activeElement)).toBe(true);
  await edit.click();
  const to = page.getByLabel('To', { exact: true });
  const given = await to.inputValue();
  // What is wrong is far above the button, and gets the focus.
  await to.fill('nobody');
  await page.getByRole('button', { name: 'Save and look again' }).click();
  await expect.poll(() => to.evaluate((field) => field === document.activeElement)).toBe(true);
  expect((await to.boundingBox())?.y).toBeGreaterThan(60);
  await page.getByText('"nobody" is not a complete address such as ben@example.com.', { exact: true }).waitFor();
  await to.fill(`${given}, cy@sandbox.test; Zoe <zoe@example.com>,`);
  await page.getByLabel('Cc', { exact: true }).fill('a@example.com, b@example.com');
  const format = page.getByRole('combobox', { name: 'Body format' });
  expect(await format.locator('option').allInnerTexts()).toEqual(['Plain text', 'HTML']);
  await format.selectOption('HTML');
  await page.getByLabel('Body', { exact: true }).fill('<b>Hello</b>');
  await page.getByText('HTML source.').waitFor();
  await page.getByRole('button', { name: 'Save and look again' }).click();
  await page.getByText('Changed, and not sent yet.').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('It was carried out.').waitFor();
  expect(left('Commas')).toMatchObject([
    { to: ['ben@sandbox.test', 'cy@sandbox.test', 'zoe@example.com'], cc: ['a@example.com', 'b@example.com'] },
  ]);
  const { input } = (await bench.owned('GET', `/v1/approvals/${id}`)).body;
  expect(input.bodyFormat).toBe('html');
  expect(complaints).toEqual([]);
});

test('a comma or an address in a name makes no further recipient', () => {
  const people = [
    { name: 'Okafor, Ben', address: 'ben@sandbox.test' },
    { name: 'ceo@sandbox.test; Inc', address: 'zoe@example.com' },
    'Lindqvist, Cy <cy@sandbox.test>',
  ];
  const [field] = fieldsOf({ to: people }, {});
  if (field === undefined) throw new Error('no field');
  const read = (text: string) => fromDraft(field, text);
  expect(read(`${toDraft(field)}\na@example.com,b@example.com ;; c@example.com`)).toEqual([
    ...people,
    'a@example.com',
    'b@example.com',
    'c@example.com',
  ]);
  expect(read('"ceo@sandbox.test, Inc" <zoe@example.com>, Okafor, Ben <ben@sandbox.test>')).toEqual([
    '"ceo@sandbox.test, Inc" <zoe@example.com>',
    'Okafor, Ben <ben@sandbox.test>',
  ]);
  const noAddress = '"nobody" is not a complete address such as ben@example.com.';
  expect(() => read('nobody, ben@sandbox.test')).toThrow(noAddress);
});

test('a link whose words promise another place is warned of, in whatever script or sentence', () => {
  const warned = (text: string, to = 'https://evil.example/x') => misleads({ text, to });
  const misleading = ['bank.example', 'b\u200bank.example', 'b\u0430nk.example', 'Sign in at https://bank.example now'];
  expect(misleading.map((text) => warned(text))).toEqual([true, true, true, true]);
  const plain = ['Sign in', 'See www.evil.example/y', 'EVIL.example', 'https://evil.example/\u00e4'];
  expect(plain.map((text) => warned(text))).toEqual([false, false, false, false]);
  expect(warned('b\u00e4nk.example', 'https://xn--bnk-qla.example/')).toBe(false);
});

test('without a network nothing is approved later by itself, and what was typed outlives the session', async () => {
  const { id } = await ask('No network', { to: ['zoe@example.com'] });
  await using visit = await openApp({ path: `/approvals/${id}`, width: 390 });
  const { page, context } = visit;
  const lost = page.getByText('The connection is lost.');
  const approve = page.getByRole('button', { name: 'Approve' });
  await page.getByRole('navigation', { name: 'Quick' }).getByText('waiting').waitFor({ state: 'attached' });
  await approve.waitFor();
  await context.setOffline(true);
  await lost.waitFor();
  await approve.click();
  const alert = page.getByRole('alert').getByText('Switchboard does not answer');
  await alert.waitFor();
  await expect.poll(() => alert.evaluate((node) => node.getBoundingClientRect().bottom < innerHeight)).toBe(true);
  await context.setOffline(false);
  await lost.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  expect((await bench.owned('GET', `/v1/approvals/${id}`)).body.status).toBe('pending');

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Body', { exact: true }).fill('Typed on the train');
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('button', { name: 'Stay here' }).click();
  const cookies = await context.cookies();
  await context.clearCookies();
  await page.getByRole('button', { name: 'Save and look again' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await context.addCookies(cookies);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await expect.poll(() => page.getByLabel('Body', { exact: true }).inputValue()).toBe('Typed on the train');
  await page.getByRole('button', { name: 'Save and look again' }).click();
  await page.getByText('Changed, and not sent yet.').waitFor();
  await approve.click();
  await page.getByText('It was carried out.').waitFor();
  expect(left('No network')).toMatchObject([{ to: ['zoe@example.com'] }]);
});

test('on a phone: whoever approves after the session has ended is told so, where the form to sign in is', async () => {
  const { id } = await ask('After the end', { body: 'Line\n'.repeat(60) });
  await using visit = await openApp({ path: `/approvals/${id}`, width: 390 });
  const { page, context } = visit;
  const approve = page.getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  const cookies = await context.cookies();
  await context.clearCookies();
  await page.setViewportSize({ width: 390, height: 640 });
  await page.evaluate('scrollTo(0, 9999)');
  await approve.click();
  const told = page.getByRole('status').getByText('Your session has ended.');
  await expect.poll(() => told.evaluate((node) => node.getBoundingClientRect().top > 0)).toBe(true);
  const button = page.getByRole('button', { name: 'Sign in' });
  expect(await button.evaluate((node) => node.getBoundingClientRect().bottom < innerHeight)).toBe(true);
  expect((await bench.owned('GET', `/v1/approvals/${id}`)).body.status).toBe('pending');
  await context.addCookies(cookies);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await approve.waitFor();
});

test('what changed meanwhile is not approved before it was seen', async () => {
  const { id } = await ask('Before');
  await using visit = await openApp({ path: `/approvals/${id}` });
  const { page } = visit;
  await page.getByRole('heading', { name: 'Before' }).waitFor();
  const { body } = await bench.owned('POST', `/v1/approvals/${id}/edit`, { changes: { subject: 'After' } });
  // Whether the page hears of it first or the server refuses, nothing may be approved.
  await page
    .getByRole('button', { name: 'Approve' })
    .click({ timeout: 500 })
    .catch(() => {});
  await page.getByText('This was changed while you looked at it').waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  expect((await bench.owned('GET', `/v1/approvals/${id}`)).body.status).toBe('pending');

  await page.getByRole('button', { name: 'Show what it is now' }).click();
  await page.getByRole('heading', { name: 'After' }).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Approved by you').waitFor();
  const decided = (await bench.owned('GET', `/v1/approvals/${id}`)).body;
  expect([decided.status, decided.digest]).toEqual(['approved', body.digest]);
});

test('what somebody was typing outlives the changes and the decisions of others', async () => {
  const { id } = await ask('Dear all', { body: 'Old words' });
  await using visit = await openApp({ path: `/approvals/${id}`, width: 390 });
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Dear friends');
  await page.getByLabel('Body', { exact: true }).fill('My words');
  await bench.owned('POST', `/v1/approvals/${id}/edit`, { changes: { body: 'Their words', to: ['cy@sandbox.test'] } });
  await page.getByText('This was changed while you were editing it').waitFor();
  const mine = page.getByRole('list', { name: 'What you typed' }).getByRole('listitem');
  await expect
    .poll(() => mine.allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Subject\s+Yours\s+Dear friends\s+As it is now\s+Dear all$/),
      expect.stringMatching(/^Body \(changed by both\)\s+Yours\s+My words\s+As it is now\s+Their words$/),
    ]);
  await page.getByRole('button', { name: 'Put my changes into the new one' }).click();
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('cy@sandbox.test');
  expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('My words');
  await page.getByRole('button', { name: 'Save and look again' }).click();
  await page.getByText('Changed, and not sent yet.').waitFor();
  const { input } = (await bench.owned('GET', `/v1/approvals/${id}`)).body;
  expect(input).toMatchObject({ to: ['cy@sandbox.test'], subject: 'Dear friends', body: 'My words' });

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Body', { exact: true }).fill('Last words');
  await bench.owned('POST', `/v1/approvals/${id}/reject`, {});
  await page.getByText('It ended before you saved.').waitFor();
  await mine.getByText('Last words').waitFor();
  await page.getByRole('button', { name: 'Throw it away' }).click();
  await mine.first().waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a rejection takes its reason along, and what others decided is told plainly', async () => {
  const [mine, theirs] = [await ask('Refused'), await ask('Taken')];
  await using visit = await openApp({ path: `/approvals/${mine.id}`, width: 390 });
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByLabel('Reason').fill('Too early; ask again on Monday.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Rejected by you').waitFor();
  const told = async () => (await bench.owned('GET', `/v1/runs/${mine.runId}`)).body.error;
  await expect.poll(told).toMatchObject({
    code: 'approval_denied',
    message: expect.stringContaining('Too early; ask again on Monday.'),
  });
  await page.getByRole('complementary', { name: 'What caused it' }).getByText('Send Email mail.send_email').waitFor();
  await page.goto(`${bench.origin}/runs/${mine.runId}`);
  await page.getByRole('heading', { name: 'Run of Send Email' }).waitFor();
  await page.getByRole('complementary', { name: 'About this run' }).getByText('ada@sandbox.test').waitFor();

  await page.goto(`${bench.origin}/approvals/${theirs.id}`);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await bench.owned('POST', `/v1/approvals/${theirs.id}/reject`, { reason: 'Mine.' });
  await page
    .getByRole('button', { name: 'Approve' })
    .click({ timeout: 500 })
    .catch(() => {});
  await page.getByText('Rejected by the API key “Bootstrap key”').waitFor();
  expect([...left('Refused'), ...left('Taken'), ...complaints]).toEqual([]);

  // Many of one agent that nobody wants are found and rejected together; what somebody else decided meanwhile is told.
  const spam = [
    await ask('Spam to Mia'),
    await ask('Spam to Ben'),
    await ask('Spam to Luis'),
    await ask('Worth a look'),
  ];
  const ids = spam.map(({ id }) => `'${id}'`).join();
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*'; update approvals set cause = (cause::jsonb || '{"agentId":"agt_1"}')::json where id in (${ids})`,
  );
  await page.goto(`${bench.origin}/approvals`);
  await page.getByRole('link', { name: 'Worth a look' }).waitFor();
  expect(await page.getByRole('button', { name: 'Reject all of these' }).count()).toBe(0);
  await page.goto(`${bench.origin}/approvals?agentId=agt_1`);
  await page.getByRole('searchbox').fill('ben@sandbox spam');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'Worth a look' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Reject all of these' }).click();
  const window = page.getByRole('dialog');
  await window.getByText('3 approvals of this agent are rejected').waitFor();
  await bench.owned('POST', `/v1/approvals/${spam[1].id}/approve`, { digest: spam[1].digest });
  await window.getByLabel('Reason').fill('Write to nobody.');
  await window.getByRole('button', { name: 'Reject 3 approvals' }).click();
  await window.getByText('2 of 3 approvals rejected.').waitFor();
  const notRejected = window.getByRole('list', { name: 'Not rejected' }).getByRole('listitem');
  expect(await notRejected.allInnerTexts()).toEqual([
    'Spam to Ben to ben@sandbox.test: This is approved; there is nothing left to decide.',
  ]);
  const standing = spam.map(async ({ id }) => (await bench.owned('GET', `/v1/approvals/${id}`)).body);
  expect((await Promise.all(standing)).map(({ status, reason }) => [status, reason])).toEqual([
    ['rejected', 'Write to nobody.'],
    ['approved', null],
    ['rejected', 'Write to nobody.'],
    ['pending', null],
  ]);
  const { body: audit } = await bench.owned('GET', '/v1/audit?action=approval.rejected');
  const targets = audit.items.map(({ target }: Answer['body']) => target);
  expect(targets).toEqual(expect.arrayContaining([spam[0].id, spam[2].id]));
});

test('the window for a reason closes over what was decided elsewhere, and the reason is kept', async () => {
  const { id } = await ask('Reason in vain');
  await using visit = await openApp({ path: `/approvals/${id}`, width: 390 });
  const { page, context, complaints } = visit;
  const dialog = page.getByRole('dialog');
  const reason = page.getByLabel('Reason');
  await page.getByRole('button', { name: 'Reject' }).click();
  await reason.fill('Ask Zoe before.');
  await bench.owned('POST', `/v1/approvals/${id}/edit`, { changes: { subject: 'Reason in vain, changed' } });
  await dialog.getByText('This was changed while you were writing.').waitFor();
  expect(await reason.inputValue()).toBe('Ask Zoe before.');

  const cookies = await context.cookies();
  await context.clearCookies();
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await context.addCookies(cookies);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await expect.poll(() => reason.inputValue()).toBe('Ask Zoe before.');

  await bench.owned('POST', `/v1/approvals/${id}/reject`, { reason: 'Theirs.' });
  await page.getByRole('status').getByText('Rejected by the API key “Bootstrap key”').waitFor();
  expect(await dialog.count()).toBe(0);
  const kept = page.getByRole('region', { name: 'Your reason' });
  await kept.getByText('Ask Zoe before.').waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.getAttribute('role')")).toBe('status');
  await kept.getByRole('button', { name: 'Throw it away' }).click();
  await kept.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('what nobody decided in time is told plainly, and the tabs of the list are kept by the way back', async () => {
  const [late, refused] = [await ask('Late'), await ask('Not this one')];
  await bench.owned('POST', `/v1/approvals/${refused.id}/reject`, {});
  const past = `set app.workspace = '*'; update approvals set expires_at = now() - interval '1 second' where id = '${late.id}'`;
  await runStatement(bench.connectionString, past);
  await using visit = await openApp({ path: `/approvals/${late.id}`, width: 390 });
  const { page, complaints } = visit;
  await page.getByText('Expired: nobody decided in time').waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  expect(left('Late')).toEqual([]);

  // By the clock of the server, also on a phone that is ahead of it and on a page that stays open for a week.
  await page.clock.install({ time: Date.now() + 8 * 86_400_000 });
  await page.goto(`${bench.origin}/approvals/${(await ask('Left open')).id}`);
  await page.getByRole('button', { name: 'Approve' }).first().waitFor();
  await page.getByText('expires in 7 days').first().waitFor();
  await page.clock.fastForward(8 * 86_400_000);
  await expect.poll(() => page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await page.clock.resume();

  await page.goto(`${bench.origin}/approvals?status=rejected`);
  await page.getByRole('link', { name: 'Not this one' }).waitFor();
  const tabs = page.getByRole('navigation', { name: 'Approvals by state' });
  expect(await tabs.locator('[aria-current=page]').allInnerTexts()).toEqual(['Rejected']);
  await page.getByRole('link', { name: 'Expired', exact: true }).click();
  await page.goBack();
  await page.getByRole('link', { name: 'Not this one' }).waitFor();
  expect(complaints).toEqual([]);
});

test('words run the way of their script, addresses do not; who gave no subject is told so', async () => {
  const body = 'שלום, ראו \u200b(Q3).\n\nIn English.';
  const { id } = await ask(' ', { to: ['ben@sandbox.test', 'אב@example.com'], body });
  await using visit = await openApp({ path: '/approvals', width: 390 });
  const { page } = visit;
  await page.getByRole('link', { name: '(no subject)' }).click();
  await page.getByRole('heading', { name: '(no subject)' }).waitFor();
  const text = page.getByRole('region', { name: 'The body as text' });
  /** Where the first and the last line of a text begin, from the left of its place. */
  const edges = await text.evaluate((place) => {
    const range = document.createRange();
    range.selectNodeContents(place);
    const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height < 40);
    const { left, right } = place.getBoundingClientRect();
    const ends = boxes.map((box) => [box.left - left, right - box.right] as const);
    return { first: Math.min(...ends.slice(0, 1).map(([, end]) => end)), last: ends.at(-1)?.[0] ?? 0 };
  });
  expect(edges.first).toBeLessThan(30);
  expect(edges.last).toBeLessThan(30);
  const address = page.getByText('אב@example.com', { exact: true }).first();
  expect(await address.evaluate((node) => getComputedStyle(node).unicodeBidi)).toBe('isolate');
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByLabel('Body', { exact: true });
  expect(await field.evaluate((node) => getComputedStyle(node).direction)).toBe('rtl');
  await page.getByRole('button', { name: 'Leave as it was' }).click();

  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('It was carried out.').waitFor();
  expect((await bench.owned('GET', `/v1/approvals/${id}`)).body.status).toBe('approved');
});

test('what is approved during an emergency stop waits for its end, and not for another decision', async () => {
  const { id } = await ask('Held back');
  await bench.owned('POST', '/v1/stop', {});
  await using visit = await openApp({ path: `/approvals/${id}`, width: 390 });
  const { page } = visit;
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Emergency stop: it is carried out when work goes on.').waitFor();
  expect(left('Held back')).toEqual([]);
  await bench.owned('POST', '/v1/resume', {});
  await page.getByText('It was carried out.').waitFor();
  expect(left('Held back')).toHaveLength(1);
});

test('a viewer, also one who was more until now, sees what waits and cannot decide', async () => {
  const { id } = await ask('Only to look at');
  const cookie = await bench.signInAsOwner();
  const { body: member } = await bench.call('POST', '/v1/members', {
    cookie,
    body: { email: 'vera@example.com', name: 'Vera', role: 'approver' },
  });
  const { body: link } = await bench.call('POST', `/v1/members/${member.id}/sign-in-link`, { cookie });
  const [name = '', value = ''] = (await bench.signIn(link.url)).split('=');
  await using visit = await openApp({ signedIn: false });
  const { page, context } = visit;
  await context.addCookies([{ name, value, url: bench.origin, httpOnly: true }]);
  await page.goto(`${bench.origin}/approvals/${id}`);
  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  await approve.waitFor();
  // Who gets another role meanwhile is told with the first refusal, and offered nothing more that would be refused.
  expect((await bench.owned('PATCH', `/v1/members/${member.id}`, { role: 'viewer' })).status).toBe(200);
  await approve.click();
  await page.getByText('You can look, but not decide: your role is viewer.').waitFor();
  expect(await page.getByRole('button', { name: /Approve|Reject|Edit/ }).count()).toBe(0);
  await page.goto(`${bench.origin}/tools/new`);
  await page.getByText('A builder or an owner of this workspace can make tools.').waitFor();
  await page.goto(`${bench.origin}/`);
  // Nothing says that it is theirs to decide.
  await page.getByRole('list', { name: 'Needs somebody' }).getByRole('link', { name: 'Look at it' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Tour of the sandbox' }).count()).toBe(0);
});

test('on a phone: an invitation tells its day of the week and how it recurs, and its times are picked, not typed', async () => {
  const input = {
    subject: 'The launch',
    start: '2027-03-01T10:00',
    end: '2027-03-01T11:00:00',
    timeZone: 'Europe/Berlin',
    recurrence: 'FREQ=WEEKLY;COUNT=5',
    attendees: ['ben@sandbox.test'],
  };
  const { body } = await bench.owned('POST', '/v1/steps/mail.create_event/run', { accountId, input });
  await using visit = await openApp({ path: `/approvals/${body.approval.id}`, width: 390 });
  const { page, complaints } = visit;
  const shown = page.getByRole('region', { name: 'What would be sent' });
  await shown.getByText('Monday, 2027-03-01 10:00 (Europe/Berlin)').waitFor();
  await shown.getByText('every week on Monday, 5 times').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await page.getByLabel('Begins').getAttribute('type')).toBe('datetime-local');
  await page.getByLabel('Begins').fill('2027-03-02T10:30');
  await page.getByLabel('Ends').fill('2027-03-02T11:30');
  await page.getByRole('button', { name: 'Save and look again' }).click();
  await shown.getByText('Tuesday, 2027-03-02 10:30 (Europe/Berlin)').waitFor();
  await shown.getByText('Tuesday, 2027-03-02 11:30 (Europe/Berlin)').waitFor();
  expect(complaints).toEqual([]);
  const starts = ['2027-03-01', '2027-03-01T10:00:00', '2027-03-01T10:00:30', '2027-03-01T10:00:00Z', 'tomorrow'];
  const kinds = starts.map((start) => fieldsOf({ start }, {})[0]?.kind);
  expect(kinds).toEqual(['day', 'time', 'line', 'line', 'line']);
});

test('an invitation for whole days tells the days, and every other its times', () => {
  const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
  const span = (start: string, end: string) => ({ start: at(start), end: at(end), isAllDay: true });
  const one = span('2027-03-01T00:00:00', '2027-03-02T00:00:00.0000000');
  expect(whenOf(one)).toEqual([['On', 'Monday, 2027-03-01, the whole day']]);
  const days = [
    ['First day', 'Monday, 2027-03-01'],
    ['Last day', 'Wednesday, 2027-03-03'],
  ];
  const three = span('2027-03-01T00:00', '2027-03-04T00:00');
  expect(whenOf(three)).toEqual(days);
  // Of an event that is there, only what changes is sent.
  const { isAllDay, ...moved } = three;
  expect(whenOf({ ...moved, event: { isAllDay } })).toEqual(days);
  // One that is taken back says nothing of its own.
  expect(whenOf({ event: three })).toEqual(days);
  const cleared = { location: null, event: { ...three, location: 'Hall' } };
  expect([placeOf({ event: { location: 'Hall' } }), placeOf(cleared)]).toEqual(['Hall', undefined]);
  expect(otherFields('event', cleared)).toEqual(cleared);
  // A view names what a body says in small letters.
  expect(whenOf({ ...moved, isallday: true })).toEqual(days);
  expect(otherFields('event', { ...moved, isallday: true, location: { DisplayName: 'Hall' } })).toEqual({});
  expect(otherFields('event', { ...three, showAs: 'free' })).toEqual({ showAs: 'free' });
  for (const unlike of [span('2027-03-01T10:00', '2027-03-02T00:00'), { ...three, isAllDay: false }]) {
    expect(whenOf(unlike).map(([label]) => label)).toEqual(['Begins', 'Ends']);
    expect(otherFields('event', unlike)).toEqual({ isAllDay: unlike.isAllDay });
  }
});

test('on a phone: a link to what waits in another workspace of the person leads there', async () => {
  const approval = await ask('Asked elsewhere');
  const [name = '', value = ''] = (await bench.newTenant('Second house')).cookie.split('=');
  await using visit = await openApp({ signedIn: false, width: 390 });
  const { page, context, complaints } = visit;
  await context.addCookies([{ name, value, url: bench.origin, httpOnly: true }]);
  await page.goto(new URL(`/approvals/${approval.id}`, bench.origin).href);
  await page.getByRole('heading', { name: 'There is no such approval.' }).waitFor();
  await page.getByRole('button', { name: 'Look in My workspace' }).click();
  await page.getByRole('heading', { name: 'Asked elsewhere' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(complaints).toEqual([]);
});
