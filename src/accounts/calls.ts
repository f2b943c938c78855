import type { Clock } from '#clock';
import {
  type AuthMethod,
  type Catalogue,
  Fault,
  type Grant,
  type Identity,
  type Integration,
  type Limit,
  type Payers,
  type Sink,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '#kit';
import type { Log } from '#log';
import { freshMs, type Sealer, type Store, Unreadable } from '#store';
import type { Admission, CallBounds, Pacer, PartOfUpload, StopSignal, TimedAnswer, UpstreamClient } from '#upstream';
import { leftAccount, placeOf, unknownAccount } from './account.ts';
import type { ReadAccount, SeenAccount } from './read-together.ts';
import type { Refresher } from './refresh.ts';
import { markRefused, type OnNeedsReconnect, type Where } from './standing.ts';
import { methodOf, type Services, serviceOf } from './ways.ts';
import type { Wire } from './wire.ts';

export type CallOptions = {
  deadlineMs?: number | undefined;
  signal?: StopSignal | undefined;
  /** Calls although the account is paused or known to be refused: to find out whether it works again. */
  evenIfIdle?: boolean;
  /** A spent budget is told at once instead of waited for. */
  impatient?: boolean | undefined;
  /** The look by which the account was chosen a moment ago: it counts for this call, too. */
  seen?: SeenAccount | undefined;
  /** What must have happened before the request leaves; everything else is got ready meanwhile. */
  after?: Promise<unknown> | undefined;
  /** Live work goes before the background. */
  priority?: 'live' | 'background' | undefined;
  /** The last call of a credential, which what others have spent does not hold back. */
  last?: boolean | undefined;
  /** Takes the content of an answer that is 2xx, up to `maxBytes`. */
  into?: Sink | undefined;
  maxBytes?: number | undefined;
  /** A part of the upload that the request opened is sent instead of the request, without the credential. */
  part?: PartOfUpload | undefined;
};

/** Makes upstream calls with an account's credential, which is decrypted for each call and never kept. */
export type Caller = {
  asAccount(
    workspaceId: string,
    accountId: string,
    request: UpstreamRequest,
    options?: CallOptions,
  ): Promise<TimedAnswer>;
  /** For a credential that is being tried before it is stored, or ended after it is gone. */
  withCredential(
    integration: Integration,
    credential: unknown,
    request: UpstreamRequest,
    options?: CallOptions,
  ): Promise<TimedAnswer>;
};

/** An account as one call sees it. */
type Opened = {
  kind: SeenAccount['kind'];
  integration: Integration;
  method: AuthMethod;
  version: number;
  /** What signs the request. */
  credential: unknown;
  payers: Payers;
  expiresAt: number | undefined;
  lookedAt: number;
};

const patienceMs = 30_000;
// Renewed a little early: a request takes time, and clocks differ.
const earlyMs = 120_000;
const looks = 8;
// Below what a disconnect waits for: the rest is for a turn at the service's limits.
const momentMs = 400;
const usualPauseMs = 10_000;
// Longer is no service's wish but a mistake, and would shut the account for good.
const longestPauseMs = 24 * 60 * 60_000;

const refused = ({ upstream }: Integration, answer: UpstreamAnswer): Fault | undefined => {
  if (answer.status < 400) return undefined;
  const fault = upstream.readFault(answer);
  return fault.code === 'reconnect_needed' ? fault : undefined;
};

/** How long the service asks us to stay away, if it does. */
const pauseOf = ({ upstream }: Integration, request: UpstreamRequest, answer: UpstreamAnswer): number | undefined => {
  const asked = answer.status < 400 ? upstream.pauseIn?.(request, answer) : upstream.readFault(answer).retryAfterMs;
  const usual = answer.status === 429 ? usualPauseMs : undefined;
  return asked === undefined ? usual : Math.min(asked, longestPauseMs);
};

const spentOf = ({ upstream }: Integration, limits: readonly Limit[], answer: UpstreamAnswer): readonly Limit[] =>
  upstream.spentOf?.(limits, answer) ?? limits.slice(0, 1);

const tooSlow = () =>
  new Fault('unavailable', 'Storage is too slow to begin a call safely; try again.', { retryAfterMs: 1_000 });

export const createCaller = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  catalogue: Catalogue;
  client: UpstreamClient;
  services: Services;
  wire: Wire;
  refresher: Refresher;
  pacer: Pacer;
  read: ReadAccount;
  onNeedsReconnect: OnNeedsReconnect;
}): Caller => {
  const { sealer, clock, log, catalogue, client, services, wire, refresher, pacer, read } = options;

  // Of credentials in use, which stay sealed.
  const payersKnown = new WeakMap<Buffer, Payers>();

  const payersOf = (sealed: Buffer, { upstream }: Integration, credential: unknown, identity: Identity): Payers => {
    const known = payersKnown.get(sealed) ?? upstream.payersOf(credential, identity);
    payersKnown.set(sealed, known);
    return known;
  };

  const unseal = ({ workspaceId, accountId }: Where, sealed: Buffer): unknown => {
    try {
      return JSON.parse(sealer.open(sealed, placeOf(workspaceId, accountId)));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // Most often it is this process that lacks the others' key, and nobody would look for that at an account.
      log.warn(
        { reason: error.message },
        'stored credentials cannot be opened here; is ENCRYPTION_KEY that of the others?',
      );
      throw new Fault('reconnect_needed', 'The stored credential cannot be opened; connect this account again.', {
        cause: error,
      });
    }
  };

  /** The one place where a credential is opened; ownership is checked here. */
  const open = async (
    where: Where,
    evenIfIdle: boolean,
    { seen, anew }: { seen?: SeenAccount | undefined; anew: boolean },
  ): Promise<Opened> => {
    const recent = seen !== undefined && performance.now() - seen.looked_at < momentMs;
    const mine = seen?.workspace_id === where.workspaceId && seen.id === where.accountId;
    const known = recent && mine ? seen : await read(where, { anew });
    const account = known?.state === 'connected' || anew ? known : await read(where, { anew: true });
    const integration = account === undefined ? undefined : catalogue.integration(account.integration);
    if (account?.state === 'disconnected') throw leftAccount(account.kind);
    if (account === undefined || account.credential === null || integration === undefined) throw unknownAccount();
    if (account.state === 'paused' && !evenIfIdle) {
      const details = { accountId: account.id };
      throw new Fault('conflict', 'This account is paused; resume it first.', { details });
    }
    if (account.state === 'needs_reconnect' && !evenIfIdle) {
      throw new Fault('reconnect_needed', account.reason ?? 'This account must be connected again.');
    }
    const method = methodOf(integration, account.auth_method);
    const opened = unseal(where, account.credential);
    const grant = method.way === 'oauth2' ? (opened as Grant) : undefined;
    const credential = method.way === 'oauth2' ? method.toCredential(opened as Grant) : opened;
    return {
      kind: account.kind,
      integration,
      method,
      version: account.version,
      credential,
      payers: payersOf(account.credential, integration, credential, account.identity),
      expiresAt: grant?.expiresAt,
      lookedAt: account.looked_at,
    };
  };

  const readyWith = (integration: Integration, credential: unknown, request: UpstreamRequest) =>
    client.ready({
      base: serviceOf(services, integration).apiBase,
      request: { ...request, path: integration.upstream.fill?.(request.path, credential) ?? request.path },
      headers: integration.upstream.sign(credential),
      effect: integration.upstream.effectOf(request),
    });

  /** What the service asked for holds for every process. */
  const heed = async (
    integration: Integration,
    limits: readonly Limit[],
    request: UpstreamRequest,
    answer: UpstreamAnswer,
  ): Promise<void> => {
    const pauseMs = pauseOf(integration, request, answer);
    // What was answered stays answered, also where the pause cannot be written down.
    if (pauseMs !== undefined) await pacer.block(spentOf(integration, limits, answer), pauseMs).catch(() => undefined);
  };

  const withCredential: Caller['withCredential'] = async (integration, credential, request, how = {}) => {
    const { signal, last = false, priority = 'live' } = how;
    const send = readyWith(integration, credential, request);
    if (last) return send(how);
    const { upstream } = integration;
    const payers = upstream.payersOf(credential);
    const pace = upstream.paceOf(payers, request);
    // Nobody's account yet: each credential takes its own turn.
    const owner = Object.values(payers).join(' ');
    const admission = await pacer.admit(pace, { priority, maxWaitMs: patienceMs, owner, signal });
    try {
      const answer = await send(how);
      await heed(integration, pace.limits, request, answer);
      return answer;
    } finally {
      admission.release();
    }
  };

  const expired = ({ expiresAt }: Opened, earlier: number): boolean =>
    expiresAt !== undefined && expiresAt - earlier <= clock.now().getTime();

  return {
    withCredential,

    asAccount: async (workspaceId, accountId, request, how = {}) => {
      const { deadlineMs, signal, evenIfIdle = false, impatient = false, priority = 'live', seen, part, after } = how;
      const where = { workspaceId, accountId };
      const begun = performance.now();
      const left = () => Math.max(1, (deadlineMs ?? patienceMs) - (performance.now() - begun));
      const call = wire.open(accountId, signal);
      let renewed = false;
      let anew = false;
      let admission: Admission | undefined;
      const renew = async (version: number): Promise<void> => {
        renewed = true;
        anew = true;
        // Nothing is asked of the service meanwhile, and the next try is another call.
        admission?.release();
        admission = undefined;
        await refresher.renew(where, version, {
          ms: left(),
          signal: call.signal.toAbortSignal(),
          evenIfRefused: evenIfIdle,
        });
      };
      try {
        for (let look = 1; look <= looks; look += 1) {
          const opened = await open(where, evenIfIdle, { seen: look === 1 ? seen : undefined, anew });
          if (call.disconnected()) throw leftAccount(opened.kind);
          if (call.blind()) throw tooSlow();
          if (!renewed && expired(opened, earlyMs)) {
            await renew(opened.version);
            continue;
          }
          if (expired(opened, 0))
            throw new Fault('reconnect_needed', 'This access has ended; connect the account again.');
          const pace = opened.integration.upstream.paceOf(opened.payers, request);
          const maxWaitMs = impatient ? 0 : left();
          admission ??= await pacer.admit(pace, { priority, maxWaitMs, owner: workspaceId, signal: call.signal });
          const { integration, credential, version, method } = opened;
          const send =
            part === undefined
              ? readyWith(integration, credential, request)
              : (within: CallBounds) =>
                  client.upload(part, { ...within, base: serviceOf(services, integration).apiBase });
          if (after !== undefined) {
            await after;
            if (call.disconnected()) throw leftAccount(opened.kind);
            if (call.blind()) throw tooSlow();
          }
          // What was seen too long ago may be gone by now: a disconnect waits only this long.
          if (performance.now() - opened.lookedAt > freshMs) continue;
          const answer = await send({
            deadlineMs: left(),
            signal: call.signal,
            into: how.into,
            maxBytes: how.maxBytes,
          });
          await heed(integration, pace.limits, request, answer);
          // What an upload's address refuses says nothing about the credential, which was not there.
          const refusal = part === undefined ? refused(integration, answer) : undefined;
          if (refusal === undefined) return answer;
          if (!renewed && method.way === 'oauth2') {
            await renew(version);
            continue;
          }
          // Another process may have been given a better one since we looked.
          if (!anew && (await read(where, { anew: true }))?.version !== version) {
            anew = true;
            admission.release();
            admission = undefined;
            continue;
          }
          await markRefused(options, where, version, refusal.message);
          return answer;
        }
        throw tooSlow();
      } catch (error) {
        // That nobody could know of the account says nothing about the service, of which nothing was changed.
        if (call.blind() && error instanceof Fault && error.code === 'upstream_unavailable') throw tooSlow();
        throw error;
      } finally {
        admission?.release();
        call.close();
      }
    },
  };
};
