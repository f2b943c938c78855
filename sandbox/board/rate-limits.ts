import type { SandboxClock } from '../common/clock.ts';
import type { Caller } from './identify.ts';
import { coded, type Refusal } from './refusal.ts';

type Window = { since: number; used: number; refused: number };

const interval = 10_000;
const memberInterval = 900_000;
const refusalsBeforePenalty = 200;
const defaults = { perKey: 300, perToken: 100, perMemberRoutes: 100 };

/** 300 requests in 10 s per key, 100 per token, and 100 in 900 s on the member and search routes. */
export class RateLimits {
  off = false;
  perKey = defaults.perKey;
  perToken = defaults.perToken;
  perMemberRoutes = defaults.perMemberRoutes;
  #clock: SandboxClock;
  #windows = new Map<string, Window>();

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  reset(): void {
    Object.assign(this, defaults, { off: false });
    this.#windows.clear();
  }

  set(limits: { perKey?: number; perToken?: number; perMemberRoutes?: number; off?: boolean }): void {
    Object.assign(this, limits);
    this.#windows.clear();
  }

  /** Counts one request; answers its refusal, if any. */
  count(caller: Caller, path: string): Refusal | undefined {
    if (this.off || caller.key === null) return undefined;
    const now = this.#clock.now();
    const key = this.#window(`key ${caller.key}`, now, interval);
    if (key.refused > refusalsBeforePenalty) return refusal('API_KEY_LIMIT_EXCEEDED');
    const token = caller.token && this.#window(`token ${caller.token.value}`, now, interval);
    const refused = this.#strike(caller, path, key, token, now);
    if (refused) {
      key.refused += 1;
      return refused;
    }
    key.used += 1;
    if (token) token.used += 1;
    return undefined;
  }

  #strike(caller: Caller, path: string, key: Window, token: Window | null, now: number): Refusal | undefined {
    if (key.used >= this.perKey) return refusal('API_KEY_LIMIT_EXCEEDED');
    if (token && token.used >= this.perToken) return refusal('API_TOKEN_LIMIT_EXCEEDED');
    if (caller.token && /^\/1\/(members|search|membersSearch)(\/|$)/.test(path)) {
      const slow = this.#window(`members ${caller.token.value}`, now, memberInterval);
      if (slow.used >= this.perMemberRoutes)
        return coded(429, 'Exceeded rate limit to /1/member', 'RATE_LIMIT_EXCEEDED');
      slow.used += 1;
    }
    return undefined;
  }

  /** Adds what is left to the headers. There is no reset time in these: a window lasts 10 s from its first use. */
  tell(caller: Caller, headers: string[]): void {
    // Without limits there is no budget to tell of.
    if (this.off || caller.key === null) return;
    const now = this.#clock.now();
    const left = (name: string, max: number): string =>
      String(Math.max(0, max - this.#window(name, now, interval).used));
    const budget = (name: string, ms: number, max: number, remaining: string): void =>
      void headers.push(
        ...[`x-rate-limit-${name}-interval-ms`, String(ms)],
        ...[`x-rate-limit-${name}-max`, String(max)],
        ...[`x-rate-limit-${name}-remaining`, remaining],
      );
    budget('api-key', interval, this.perKey, left(`key ${caller.key}`, this.perKey));
    budget('db-query-time', 600_000, 7_200_000, '7199990');
    if (!caller.token) return;
    const remaining = left(`token ${caller.token.value}`, this.perToken);
    budget('api-token', interval, this.perToken, remaining);
    budget('member', interval, 375, remaining);
  }

  #window(name: string, now: number, length: number): Window {
    const there = this.#windows.get(name);
    if (there && now - there.since < length && now >= there.since) return there;
    const fresh = { since: now, used: 0, refused: 0 };
    this.#windows.set(name, fresh);
    return fresh;
  }
}

const refusal = (error: string): Refusal => coded(429, 'Rate limit exceeded', error);
