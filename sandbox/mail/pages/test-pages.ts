import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { violationsIn } from '../../common/axe.ts';
import { listen } from '../../common/listen.ts';
import { createMailbox } from '../create-mailbox.ts';
import { addFolder } from '../folders/store.ts';
import { wellKnownFolder } from '../messages/find.ts';
import { createMail } from '../server.ts';
import type { Mail, World } from '../world.ts';

/** Takes whatever a page asks of the world outside this machine, and answers nothing. */
const openTrap = async () => {
  const caught: string[] = [];
  const trap = createServer((socket) => {
    socket.once('data', (data) => caught.push(data.toString('latin1').split('\r\n', 1)[0] ?? ''));
    socket.on('error', () => {});
    socket.setTimeout(200, () => socket.destroy());
  });
  await once(trap.listen(0, '127.0.0.1'), 'listening');
  const { port } = trap.address() as AddressInfo;
  return { caught, port, close: () => trap.close() };
};

const mailFrom = (address: string, subject: string, body: Mail['body'], to = 'ada@sandbox.test'): Mail => ({
  from: { name: address.split('@', 1)[0] ?? '', address },
  to: [{ name: '', address: to }],
  subject,
  body,
});

/** The mail sandbox with its pages; mailboxes are empty unless the seeded ones are asked for. */
const servePages = async ({ seeded }: { seeded: boolean }) => {
  const mail = createMail();
  const { app, world } = mail;
  world.behaviour.sentItemsLagMs = 0;
  if (!seeded) for (const id of world.people.keys()) world.mailboxes.set(id, createMailbox(id, world.now()));
  const ada = world.mailboxOf('ada@sandbox.test');
  if (ada !== undefined) addFolder(ada, wellKnownFolder(ada, 'inbox'), 'Letters', false);
  app.get('/favicon.ico', (c) => c.body(null, 204));
  app.get('/callback', (c) =>
    c.text(`Back in the app: ${c.req.query('code') === undefined ? c.req.query('error') : 'code'}`),
  );
  app.post('/callback', async (c) => c.text(`Posted: ${Object.keys(await c.req.parseBody()).join(' ')}`));
  const server = await listen(mail);
  return {
    world,
    url: server.url,
    arrive: (address: string, subject: string, body: Mail['body'], more: Partial<Mail> = {}) =>
      world.deliver({ ...mailFrom(address, subject, body), ...more }),
    close: server.close,
  };
};

/** A browser window on those pages, and all it complained about. */
export const openPages = async (browser: Browser, options: BrowserContextOptions & { seeded?: boolean } = {}) => {
  const server = await servePages({ seeded: options.seeded === true });
  const trap = await openTrap();
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    proxy: { server: `http://127.0.0.1:${trap.port}`, bypass: '127.0.0.1,localhost' },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return {
    ...server,
    page,
    complaints,
    /** What has left the page. */
    caught: trap.caught,
    signIn: async (name: string) => {
      await page.goto(server.url);
      await page.getByRole('button', { name }).click();
      await page.getByRole('navigation', { name: 'Folders' }).waitFor();
    },
    /** What makes a page hard to use: accessibility faults, and anything wider than the window. */
    shortcomings: async ({ thorough }: { thorough: boolean }) => {
      const violations = thorough ? await violationsIn(page, { without: ['iframe'] }) : [];
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      return [
        ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
        ...(overflow ? ['wider than the window'] : []),
      ];
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      trap.close();
      await server.close();
    },
  };
};

export type Pages = Awaited<ReturnType<typeof openPages>> & { world: World };
