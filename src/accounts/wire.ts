import { sql } from 'kysely';
import type { Log } from '#log';
import type { Store } from '#store';
import { Stop, type StopSignal } from '#upstream';

/** A call under way with an account's credential. */
export type OpenCall = {
  /** Raised when the account is disconnected, wherever that was, and when the caller's own signal is. */
  signal: Stop;
  /** Whether it was the account. */
  disconnected(): boolean;
  /** Whether nobody could know of the account, because storage was away. */
  blind(): boolean;
  close(): void;
};

/** This process's calls by account, so that a disconnect ends them. */
export type Wire = {
  open(accountId: string, callers?: StopSignal): OpenCall;
  /** Ends the calls of an account in this process at once. */
  end(accountId: string): void;
  close(): void;
};

const gone = 'disconnected';
const unseen = 'unseen';
const stopped = 'stopped';
const lookEveryMs = 200;
// Without the database nobody can know whether an account is still connected.
const blindMs = 3_000;

/** Disconnects made in other processes are seen by looking: nothing to lose, nothing to reconnect. */
export const createWire = ({ store, log }: { store: Store; log: Log }): Wire => {
  const calls = new Map<string, Set<Stop>>();
  /** Whoever stops many calls is listened to once. */
  const followers = new WeakMap<StopSignal, Set<Stop>>();
  let looking = false;
  let seen = performance.now();

  const end = (accountId: string, reason = gone): void => {
    for (const call of calls.get(accountId) ?? []) call.raise(reason);
  };

  const followersOf = (callers: StopSignal): Set<Stop> => {
    const known = followers.get(callers);
    if (known !== undefined) return known;
    const following = new Set<Stop>();
    followers.set(callers, following);
    callers.addEventListener('abort', () => {
      for (const call of following) call.raise(stopped);
    });
    return following;
  };

  const look = async (): Promise<void> => {
    const asked = performance.now();
    // Accounts of every workspace that this process calls for.
    const { rows } = await sql<{ id: string }>`
      select id from accounts where id = any(${[...calls.keys()]}) and credential is null`.execute(store.system);
    for (const { id } of rows) end(id);
    seen = asked;
  };

  const timer = setInterval(() => {
    if (calls.size === 0) return;
    if (performance.now() - seen > blindMs) {
      log.warn({ accounts: calls.size }, 'storage is away: calls that could be of disconnected accounts are ended');
      for (const id of calls.keys()) end(id, unseen);
    }
    if (looking) return;
    looking = true;
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'could not look for disconnected accounts'))
      .finally(() => {
        looking = false;
      });
  }, lookEveryMs);
  timer.unref();

  return {
    end: (accountId) => end(accountId),
    close: () => clearInterval(timer),
    open: (accountId, callers) => {
      if (calls.size === 0) seen = performance.now();
      const call = new Stop();
      const others = calls.get(accountId) ?? new Set();
      calls.set(accountId, others.add(call));
      const following = callers === undefined ? undefined : followersOf(callers);
      following?.add(call);
      if (callers?.aborted === true) call.raise(stopped);
      return {
        signal: call,
        disconnected: () => call.reason === gone,
        blind: () => call.reason === unseen,
        close: () => {
          following?.delete(call);
          others.delete(call);
          if (others.size === 0 && calls.get(accountId) === others) calls.delete(accountId);
        },
      };
    },
  };
};
