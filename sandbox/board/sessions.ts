import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { SandboxEnv } from '../common/server.ts';
import { pagesApp } from './credentials.ts';
import type { App, Member } from './model.ts';
import { grantToken } from './operations/tokens.ts';
import type { World } from './world.ts';

export type Session = { id: string; idMember: string; csrf: string };

const cookie = 'sandbox_board';

/** Who is signed in on the pages for people. */
export class Sessions {
  readonly #world: World;
  readonly #sessions = new Map<string, Session>();

  constructor(world: World) {
    this.#world = world;
  }

  current(c: Context<SandboxEnv>): { session: Session; member: Member } | undefined {
    const session = this.#sessions.get(getCookie(c, cookie) ?? '');
    const member = session && this.#world.members.get(session.idMember);
    return session && member ? { session, member } : undefined;
  }

  open(c: Context<SandboxEnv>, member: Member): Session {
    const session = {
      id: randomBytes(16).toString('hex'),
      idMember: member.id,
      csrf: randomBytes(16).toString('hex'),
    };
    this.#sessions.set(session.id, session);
    setCookie(c, cookie, session.id, { path: '/', httpOnly: true, sameSite: 'Lax' });
    return session;
  }

  end(c: Context<SandboxEnv>): void {
    this.#sessions.delete(getCookie(c, cookie) ?? '');
    setCookie(c, cookie, '', { path: '/', maxAge: 0 });
  }

  /** The token with which the pages call the API for a member. */
  pageToken(member: Member): string {
    const app = this.#world.apps.get(pagesApp.key) as App;
    const scopes = ['read', 'write', 'account'];
    const value = `ATTAface${member.id.padEnd(68, '0')}`;
    return grantToken(this.#world, app, member, { scopes, expiration: 'never', name: app.name, value }).value;
  }
}
