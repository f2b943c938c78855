import { randomBytes, randomUUID } from 'node:crypto';
import { type AppRegistration, Apps } from './apps.ts';
import { Consents } from './consents.ts';
import { everydayScopes, namedScopes, parseScopes } from './scopes.ts';

/** Whom a token speaks for. */
export type TokenSubject = {
  userId: string;
  username: string;
  displayName: string;
  tenantId: string;
  personal: boolean;
};

export type CheckedToken = { userId: string; scopes: Set<string>; clientId: string };

type Grant = { subject: TokenSubject; clientId: string; scopes: string[] };
export type AuthorizationCode = Grant & {
  redirectUri: string;
  challenge?: string | undefined;
  nonce?: string | undefined;
  expiresAt: number;
  used: boolean;
};
export type RefreshToken = Grant & { expiresAt: number; fixed: boolean; revoked: boolean };
type AccessToken = { userId: string; username: string; clientId: string; scopes: Set<string>; expiresAt: number };

type Clock = { now(): number };

export type TokensSnapshot = {
  codes: [string, AuthorizationCode][];
  refresh: [string, RefreshToken][];
  access: [string, Omit<AccessToken, 'scopes'> & { scopes: string[] }][];
  consents: [string, string[]][];
  apps: AppRegistration[];
};

/** How authorize answers: at once as one person, or by asking in the browser. */
export type ConsentMode = { mode: 'ask' } | { mode: 'auto'; as: string };

export const accessLifetimeSeconds = 3599;
const minute = 60_000;
const day = 24 * 60 * minute;

const opaque = (prefix: string, bytes = 96): string => prefix + randomBytes(bytes).toString('base64url');
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const isOf = (user: string | undefined, of: { userId: string; username: string }): boolean =>
  user === undefined || of.userId === user || of.username.toLowerCase() === user.toLowerCase();

/** Every credential the identity platform has given out, the consents behind them and the registered apps. */
export class Tokens {
  readonly apps = new Apps();
  readonly consents = new Consents();
  consentMode: ConsentMode = { mode: 'ask' };
  /** People whose refresh is refused until they sign in again in a browser. */
  readonly interaction = new Set<string>();
  #clock: Clock;
  #codes = new Map<string, AuthorizationCode>();
  #refresh = new Map<string, RefreshToken>();
  #access = new Map<string, AccessToken>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Who asks, `'expired'`, or nothing for a token never given out (or revoked since). */
  check(accessToken: string): CheckedToken | 'expired' | undefined {
    const token = this.#access.get(accessToken);
    if (token === undefined) return undefined;
    return token.expiresAt <= this.#clock.now() ? 'expired' : token;
  }

  /** A ready access token for tests and the sandbox's own pages; grants what a person may consent to alone. */
  tokenFor(subject: TokenSubject, scopes: string | readonly string[] = everydayScopes, clientId?: string): string {
    const list = parseScopes(typeof scopes === 'string' ? scopes : scopes.join(' '));
    return this.issueAccess({ subject, clientId: clientId ?? 'switchboard-sandbox', scopes: list });
  }

  issueCode(code: Omit<AuthorizationCode, 'expiresAt' | 'used'>): string {
    const now = this.#clock.now();
    for (const [key, old] of this.#codes) if (old.expiresAt + day < now) this.#codes.delete(key);
    const value = opaque(code.subject.personal ? 'M.C107_SBX.2.U.' : '1.AX0A');
    this.#codes.set(value, { ...code, expiresAt: now + 10 * minute, used: false });
    return value;
  }

  code(value: string): AuthorizationCode | undefined {
    return this.#codes.get(value);
  }

  issueAccess({ subject, clientId, scopes }: Grant): string {
    const now = this.#clock.now();
    for (const [key, old] of this.#access) {
      if (old.expiresAt + day >= now) break;
      this.#access.delete(key);
    }
    const value = subject.personal ? opaque('EwB4A8l6BAAU', 180) : this.#jwtLike(subject, clientId, scopes, now);
    this.#access.set(value, {
      userId: subject.userId,
      username: subject.username,
      clientId,
      scopes: new Set(scopes.filter((scope) => scope !== 'offline_access')),
      expiresAt: now + accessLifetimeSeconds * 1000,
    });
    return value;
  }

  /** 90 days from each use for web apps, 24 hours from sign-in for single-page apps. */
  issueRefresh(grant: Grant, fixedUntil?: number): string {
    const value = opaque(grant.subject.personal ? 'M.C107_SBX.0.U.-' : '1.AX0A');
    const fixed = fixedUntil !== undefined;
    this.#refresh.set(value, {
      ...grant,
      expiresAt: fixedUntil ?? this.#clock.now() + 90 * day,
      fixed,
      revoked: false,
    });
    return value;
  }

  refreshToken(value: string): RefreshToken | undefined {
    return this.#refresh.get(value);
  }

  /** Access tokens end now; refresh tokens go on. */
  expire(user?: string): number {
    return this.#eachAccess(user, (token) => {
      token.expiresAt = Math.min(token.expiresAt, this.#clock.now());
    });
  }

  /** Access and refresh tokens are worth nothing any more; what was consented to stays. */
  revoke(user?: string): number {
    let count = this.#eachAccess(user, (_, value) => this.#access.delete(value));
    for (const token of this.#refresh.values()) {
      if (!isOf(user, token.subject) || token.revoked) continue;
      token.revoked = true;
      count++;
    }
    return count;
  }

  /** Refresh answers interaction_required until the person signs in again. */
  demandInteraction(user?: string): number {
    const held = [...this.#refresh.values()].filter((token) => isOf(user, token.subject));
    for (const { subject } of held) this.interaction.add(subject.userId);
    return held.length;
  }

  reset(): void {
    this.#codes.clear();
    this.#refresh.clear();
    this.#access.clear();
    this.consents.reset();
    this.apps.reset();
    this.consentMode = { mode: 'ask' };
    this.interaction.clear();
  }

  snapshot(): TokensSnapshot {
    return structuredClone({
      codes: [...this.#codes],
      refresh: [...this.#refresh],
      access: [...this.#access].map(([value, token]) => [value, { ...token, scopes: [...token.scopes] }]),
      consents: this.consents.snapshot(),
      apps: this.apps.list(),
    } satisfies TokensSnapshot);
  }

  restore(snapshot: TokensSnapshot): void {
    this.reset();
    const { codes, refresh, access, consents, apps } = structuredClone(snapshot);
    this.#codes = new Map(codes);
    this.#refresh = new Map(refresh);
    this.#access = new Map(access.map(([value, token]) => [value, { ...token, scopes: new Set(token.scopes) }]));
    this.consents.restore(consents);
    for (const app of apps) this.apps.put(app);
  }

  #eachAccess(user: string | undefined, act: (token: AccessToken, value: string) => void): number {
    let count = 0;
    for (const [value, token] of this.#access) {
      if (!isOf(user, token)) continue;
      act(token, value);
      count++;
    }
    return count;
  }

  /** Reads like the access token of a work account. Only the mail API is meant to check it, so nobody can verify it. */
  #jwtLike(subject: TokenSubject, clientId: string, scopes: string[], now: number): string {
    const seconds = Math.floor(now / 1000);
    const header = { typ: 'JWT', nonce: randomBytes(32).toString('base64url'), alg: 'RS256', kid: 'sandbox-graph' };
    const payload = {
      aud: '00000003-0000-0000-c000-000000000000',
      iss: `https://sts.windows.net/${subject.tenantId}/`,
      iat: seconds,
      nbf: seconds,
      exp: seconds + accessLifetimeSeconds,
      appid: clientId,
      name: subject.displayName,
      oid: subject.userId,
      scp: namedScopes(scopes),
      tid: subject.tenantId,
      unique_name: subject.username,
      upn: subject.username,
      uti: randomUUID(),
      ver: '1.0',
    };
    return `${encoded(header)}.${encoded(payload)}.${randomBytes(256).toString('base64url')}`;
  }
}
