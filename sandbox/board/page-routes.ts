import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Context, Hono } from 'hono';
import type { Control, SandboxEnv } from '../common/server.ts';
import { Call } from './call.ts';
import { credentialsOf, findMember } from './control-routes.ts';
import { pagesApp } from './credentials.ts';
import { type Caller, identify, nobody } from './identify.ts';
import { isId } from './ids.ts';
import { Input } from './input.ts';
import type { Member } from './model.ts';
import { createBoard } from './operations/boards.ts';
import { adminPage } from './pages/admin.ts';
import { boardPage } from './pages/board.ts';
import { cardPage } from './pages/card.ts';
import { controlPage } from './pages/control.ts';
import { homePage } from './pages/home.ts';
import { contentSecurityPolicy } from './pages/layout.ts';
import { messagePage, signInPage, signUpPage } from './pages/sign-in.ts';
import { Refusal } from './refusal.ts';
import { nestedInBoard } from './routes/nested-board.ts';
import { nestedInCard } from './routes/nested-card.ts';
import { newApp, newMember } from './seed.ts';
import type { Sessions } from './sessions.ts';
import { boardShape } from './views/boards.ts';
import { singleCardFields, singleCardShape } from './views/cards.ts';
import { show } from './views/fields.ts';
import type { World } from './world.ts';

type Parts = { world: World; sessions: Sessions; control: Control };

const asset = (name: string): string => readFileSync(new URL(`pages/${name}`, import.meta.url), 'utf8');
const styles = ['base', 'pages', 'board', 'labels', 'sheet'];
const assets: Record<string, { body: string; type: string }> = {
  'board.css': { body: styles.map((name) => asset(`${name}.css`)).join('\n'), type: 'text/css; charset=utf-8' },
  'pages.js': { body: asset('pages.js'), type: 'text/javascript; charset=utf-8' },
  'post-message.js': { body: asset('post-message.js'), type: 'text/javascript; charset=utf-8' },
  'icon.svg': { body: asset('icon.svg'), type: 'image/svg+xml' },
};

/** Only paths of this server; anything else leads home. */
const safeNext = (next: unknown): string =>
  typeof next === 'string' && /^\/(?![/\\])[^\r\n]*$/.test(next) ? next : '/';

const shown = ['ada', 'ben'];

const people = (world: World): Member[] => [...world.members.values()].slice(0, 6);

const fieldsOf = async (c: Context<SandboxEnv>): Promise<(name: string) => string> => {
  const form = await c.req.parseBody();
  return (name) => (typeof form[name] === 'string' ? form[name] : '');
};

const callFor = (world: World, caller: Caller, input: Record<string, string>): Call =>
  new Call(world, caller, {}, new Input(new Map(Object.entries(input))), undefined);

const everything = {
  lists: 'all',
  cards: 'all',
  labels: 'all',
  members: 'all',
  memberships: 'all',
  checklists: 'all',
  actions: 'all',
  actions_limit: '1000',
  organization: 'true',
  customFields: 'true',
};
const wholeCard = {
  members: 'true',
  checklists: 'all',
  attachments: 'true',
  actions: 'all',
  board: 'true',
  list: 'true',
};

/** The pages for people: boards to look at and to drag cards on, sign-in, apps, control. */
export const pageRoutes = ({ world, sessions, control }: Parts): Hono<SandboxEnv> => {
  const caller = (c: Context<SandboxEnv>): Caller => {
    const signedIn = sessions.current(c);
    if (signedIn) return { ...nobody, key: pagesApp.key, member: signedIn.member };
    return identify(world, c.req.header('authorization'), new Input(new Map(Object.entries(c.req.query()))));
  };
  const api = (member: Member) => ({ key: pagesApp.key, token: sessions.pageToken(member) });
  const askToSignIn = (c: Context<SandboxEnv>, why: string) =>
    c.html(signInPage({ members: people(world), next: safeNext(c.req.path), why }), 200);

  return new Hono<SandboxEnv>()
    .use('*', async (c, next) => {
      c.header('content-security-policy', contentSecurityPolicy());
      c.header('referrer-policy', 'no-referrer');
      c.header('x-content-type-options', 'nosniff');
      await next();
    })
    .onError((error, c) => {
      if (!(error instanceof Refusal)) throw error;
      return c.html(messagePage('Not here', error.body, sessions.current(c)?.member), error.status as 404);
    })
    .get('/assets/:name', (c) => {
      const found = assets[c.req.param('name')];
      if (!found) return c.notFound();
      return c.body(found.body, 200, { 'content-type': found.type, 'cache-control': 'no-cache' });
    })
    .get('/avatars/:hash', (c) => {
      const hash = c.req.param('hash').replace(/\/.*$/, '');
      const member = [...world.members.values()].find(({ avatarHash }) => avatarHash === hash);
      const hue = Number.parseInt(hash.slice(0, 4), 16) % 360 || 0;
      const initials = (member?.initials ?? '?').replace(/[^\p{L}\p{N}?]/gu, '');
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="32" fill="hsl(${hue} 55% 42%)"/><text x="32" y="41" font-family="sans-serif" font-size="26" fill="#fff" text-anchor="middle">${initials}</text></svg>`;
      return c.body(svg, 200, { 'content-type': 'image/svg+xml' });
    })
    .get('/', (c) => {
      const signedIn = sessions.current(c);
      if (!signedIn) return askToSignIn(c, 'A board service of your own. Nothing here leaves this computer.');
      const { member } = signedIn;
      const boards = member.idBoards.map((id) => world.boards.get(id)).filter((board) => board !== undefined);
      const [client] = world.clients.values();
      return c.html(
        homePage({
          member,
          boards: boards.map((board) => ({
            ...board,
            workspace: world.organizations.get(board.idOrganization ?? '')?.displayName ?? 'Personal',
          })),
          known: credentialsOf(world).members.filter(
            ({ username }) => shown.includes(username) || username === member.username,
          ),
          client,
          members: people(world).filter((other) => other !== member),
          api: api(member),
        }),
      );
    })
    .post('/sign-in', async (c) => {
      const field = await fieldsOf(c);
      const next = safeNext(field('next'));
      const chosen = findMember(world, field('as'));
      const named = findMember(world, field('who'));
      const member = chosen ?? (field('password') === 'sandbox' ? named : undefined);
      if (!member) {
        const mistake = 'That email, username or password is not known here.';
        const page = signInPage({ members: people(world), next, why: 'Try once more.', mistake, hint: field('who') });
        return c.html(page, 401);
      }
      sessions.open(c, member);
      return c.redirect(next, 303);
    })
    .post('/sign-out', (c) => {
      sessions.end(c);
      return c.redirect('/', 303);
    })
    .get('/signup', (c) => c.html(signUpPage(safeNext(c.req.query('next')))))
    .post('/signup', async (c) => {
      const field = await fieldsOf(c);
      const next = safeNext(field('next'));
      const email = field('email').trim();
      const fullName = field('fullName').trim();
      const fine = /^[^@\s]+@[^@\s]+$/.test(email) && fullName !== '';
      if (!fine) return c.html(signUpPage(next, 'Please give a name and an email address.'), 400);
      if (findMember(world, email)) return c.html(signUpPage(next, 'There is an account with that address.'), 400);
      const base = email.split('@')[0]?.toLowerCase().replace(/\W/g, '') ?? '';
      const username = world.byUsername.has(base) || base.length < 3 ? `${base}${world.members.size}` : base;
      const member = newMember(world, username, fullName, email);
      createBoard(world, { member, appKey: null }, { name: 'My first board' });
      sessions.open(c, member);
      return c.redirect(next, 303);
    })
    .get('/app-key', (c) => c.redirect('/power-ups/admin', 302))
    .get('/apps/admin', (c) => c.redirect('/power-ups/admin', 302))
    .get('/power-ups/admin', (c) => {
      const signedIn = sessions.current(c);
      if (!signedIn) return askToSignIn(c, 'to see your apps and their keys');
      const own = [...world.apps.values()].filter(({ idMember }) => idMember === signedIn.member.id);
      return c.html(adminPage(signedIn.member, signedIn.session, own));
    })
    .post('/power-ups/admin', async (c) => {
      const field = await fieldsOf(c);
      const signedIn = sessions.current(c);
      if (!signedIn || signedIn.session.csrf !== field('csrf')) return c.redirect('/power-ups/admin', 303);
      const { member, session } = signedIn;
      const own = () => [...world.apps.values()].filter(({ idMember }) => idMember === member.id);
      const origins = field('origins').split(/\s+/).filter(Boolean);
      const fine = field('name').trim() !== '' && origins.every((origin) => URL.canParse(origin));
      if (!fine)
        return c.html(adminPage(member, session, own(), 'Please give a name, and origins as full addresses.'), 400);
      const app = newApp(world, {
        key: randomBytes(16).toString('hex'),
        secret: randomBytes(32).toString('hex'),
        name: field('name').trim().slice(0, 100),
        idMember: member.id,
      });
      app.allowedOrigins = origins.map((origin) => new URL(origin).origin);
      return c.redirect('/power-ups/admin', 303);
    })
    .get('/sandbox', (c) =>
      c.html(
        controlPage({
          member: sessions.current(c)?.member,
          now: control.clock.date().toISOString(),
          struck: control.faults.list(),
          webhooks: [...world.webhooks.values()],
        }),
      ),
    )
    .get('/b/:link/changes', (c) => {
      const id = c.req.param('link');
      return c.json({ changes: callFor(world, caller(c), {}).board('read', id).changes });
    })
    .get('/b/:link/:slug?', (c) => {
      const link = c.req.param('link');
      if (link.endsWith('.json')) {
        const call = callFor(world, caller(c), everything);
        const board = call.board('read', link.slice(0, -'.json'.length));
        return c.json({ ...show(boardShape, board, 'all', call.viewer), ...nestedInBoard(call, board) });
      }
      const signedIn = sessions.current(c);
      if (!signedIn) return askToSignIn(c, 'to see this board');
      const board = callFor(world, caller(c), {}).board('read', link);
      board.dateLastView = world.date();
      return c.html(boardPage(world, board, signedIn.member, api(signedIn.member)));
    })
    .get('/c/:link/:slug?', (c) => {
      const link = c.req.param('link');
      if (link.endsWith('.json')) {
        const call = callFor(world, caller(c), wholeCard);
        const card = call.card('read', link.slice(0, -'.json'.length));
        return c.json({ ...show(singleCardShape, card, singleCardFields, call.viewer), ...nestedInCard(call, card) });
      }
      const signedIn = sessions.current(c);
      if (!signedIn) return askToSignIn(c, 'to see this card');
      const call = callFor(world, caller(c), {});
      const card = call.card('read', isId(link) ? link.toLowerCase() : link);
      return c.html(cardPage(world, card, call.board('read', card.idBoard), signedIn.member, api(signedIn.member)));
    });
};
