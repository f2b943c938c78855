import type { Identity } from './auth.ts';
import type { Occurrence } from './trigger.ts';
import type { Upstream } from './upstream.ts';

/** What those who watch an account are given. Calls are made in the background, with the account's own credential. */
export type WatchContext = {
  upstream: Upstream;
  account: { id: string; identity: Identity; scopes: readonly string[] };
  now: Date;
  /** Names of the triggers that rest on this resource: what none of them asks for need not be fetched. */
  triggers: ReadonlySet<string>;
  /** Processes died here: what must be read is only named, and read by itself later. */
  apart?: boolean;
  /** Of a look: what of this was told already, whichever way. To tell it again would change nothing, so it need not be read. */
  toldAlready?(names: readonly string[]): Promise<ToldAlready>;
  /** Of a look: since when that is known, of what somebody asks for. */
  knownSince?: Date;
};

/**
 * By the names that hints use: when it happened, and whether somebody skipped it for a reason that may pass; only where that
 * still stands, it need not be told again.
 */
export type ToldAlready = ReadonlyMap<string, { at: Date; mayPass: boolean }>;

/** What those are given who settle a configuration while somebody waits for the answer. */
export type SettleContext = WatchContext & {
  /** Refuses, as for steps, what the account was not granted: of each list one is needed. */
  require(scopes: readonly (readonly string[])[]): void;
  /** What something that was chosen was called when the configuration was last saved: it may be gone. */
  nameOf(id: string): string | undefined;
};

/** Where the service is to send its notifications, and the secret it is to show there, for services that show one. */
export type Callback = { url: string; secret: string };

/** What the service keeps for us. */
export type Registration = { id: string; expiresAt?: Date | undefined };

/** What is found of a registration: it stands (renewed where it had to be), it is gone, or it stands but does not work. */
export type Checked =
  | { state: 'healthy'; registration: Registration }
  | { state: 'degraded'; registration: Registration; reason: string }
  | { state: 'gone'; reason: string };

/** A notification as it came in, before anything in it is believed. */
export type Notification = {
  method: 'HEAD' | 'GET' | 'POST';
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  query: URLSearchParams;
  bytes: Uint8Array;
};

/** How a notification is known to be the service's. */
export type Proof = {
  /** The address exactly as it was registered. */
  url: string;
  /** The app's secret, which signs notifications of services that sign. */
  signingSecret: string | undefined;
  /** Compares a secret shown to us with the one we registered, in constant time. */
  isOurSecret(shown: string): boolean;
};

/** `missed`: look now. `removed`: register again, then look. `renew`: renew now. */
export type Notice = 'missed' | 'removed' | 'renew';

export type Received =
  /** Answered at once: a handshake, or a refusal. */
  | { answer: { status: number; body?: string | undefined } }
  | {
      /** Content that a signature covers. */
      occurrences: readonly Occurrence[];
      /** Names of occurrences whose content is to be read back: these carry no authority. */
      hints: readonly string[];
      notices: readonly Notice[];
    };

/** One stretch of what happened since the cursor. */
export type CaughtUp = {
  occurrences: readonly Occurrence[];
  /** Names of occurrences that are read one by one, so that one that cannot be read holds up no other. */
  hints?: readonly string[] | undefined;
  /** Where to go on; stored together with what the occurrences became. */
  cursor: unknown;
  /** There is more to fetch right now. */
  more: boolean;
  /** What cannot be known any more, in words for people. */
  gaps?: readonly string[] | undefined;
  /** Why nothing is to be expected although it can be watched, and what to do about it. */
  hindrance?: string | undefined;
  /** What people call the resource, where that is known. */
  name?: string | undefined;
};

/** One of our own writes, as the record of effects has it. */
export type OwnWrite = {
  /** Whose account wrote, as the service calls that person; absent where it is not known any more. */
  by?: string;
  /** What each mark begins with that the run which wrote it leaves in what it makes. */
  mark?: string;
  method: string;
  path: string;
  body: unknown;
  upstreamId: string | null;
  /** `intended`: under way, or its answer is not known yet. */
  state: 'intended' | 'sent' | 'not_sent' | 'unknown';
  at: Date;
};

/** How an integration is watched. A resource is a name of its own making, such as `board/5f…`. */
export type Watching = {
  push: {
    /** Whether the service notifies of this resource for this account; where it does not, it is polled. */
    offers(resource: string, context: WatchContext): boolean;
    /** Registers, or adopts a registration of the same address that exists already. */
    register(resource: string, callback: Callback, context: WatchContext): Promise<Registration>;
    /** Looks whether it stands, renews it in time, and tells the service when our address has changed. */
    check(resource: string, known: Registration, callback: Callback, context: WatchContext): Promise<Checked>;
    /** One that is gone already is no mistake. */
    remove(known: Registration, context: WatchContext): Promise<void>;
    /** Every registration the service keeps for this account and app, to find those that no watch knows. */
    list(context: WatchContext): Promise<{ id: string; url: string }[]>;
    /** Reads a notification. Pure: nothing is asked of anybody. */
    receive(notification: Notification, proof: Proof): Received;
  };
  /** A cursor from which catching up begins: nothing before `since` matters, everything after it does. */
  begin(resource: string, since: Date, context: WatchContext): Promise<unknown>;
  catchUp(resource: string, cursor: unknown, context: WatchContext): Promise<CaughtUp>;
  /** A cursor that tells once more what was told from `since` on: somebody has joined who is new to it. Pure. */
  again(cursor: unknown, since: Date): unknown;
  /**
   * The same, but only for what came lately, at a fraction of the calls: for what the service says it could not tell of. What
   * this misses the next `catchUp` finds.
   */
  glance?(resource: string, cursor: unknown, context: WatchContext): Promise<CaughtUp>;
  /** The content behind a hint, read back; `undefined` when it is gone or is nothing to tell about. */
  read(resource: string, hint: string, context: WatchContext): Promise<Occurrence | undefined>;
  /** The newest occurrences, newest first, for trying a configuration out. */
  recent(resource: string, limit: number, context: WatchContext): Promise<Occurrence[]>;
  /**
   * For what the service notifies of but never lists: it is told from what is there now, beside what was there before.
   * The state is stored with the watch; `absorb` and `diff` are pure and run while no one else changes it.
   */
  state?: {
    /** Whether this occurrence changes the remembered state. */
    concerns(occurrence: Occurrence): boolean;
    /** Notified occurrences change the state; those that a difference has told already are `covered`. */
    absorb(state: unknown, occurrences: readonly Occurrence[]): { state: unknown; covered: ReadonlySet<string> };
    /** What is there now; `undefined` where none of the triggers asks for it. */
    snapshot(resource: string, context: WatchContext): Promise<unknown>;
    /** Without a state before, nothing is told: it is only learned. */
    diff(state: unknown, snapshot: unknown): { state: unknown; occurrences: readonly Occurrence[] };
    /** What was there at an earlier time, of resources where the state tells that. */
    earlier?: { isTold(resource: string): boolean; at(state: unknown, time: Date): unknown };
  };
  own: {
    /** Whether the account itself did this, so that it may have been done through us. Cheap. */
    isSuspect(occurrence: Occurrence, account: WatchContext['account']): boolean;
    /** Whether nobody is named who did it, so that any account of ours may have. Cheap. */
    isAnyones?(occurrence: Occurrence): boolean;
    /** Who did it, as the service calls that person: another account of ours may be theirs. Cheap. */
    doer?(occurrence: Occurrence): string | undefined;
    /** Whether it bears a mark of ours. The write that left it is worth looking for, however many others there were. */
    isMarked?(occurrence: Occurrence): boolean;
    /** Whether it does not tell where it belongs, so that a write of ours which is recorded there may be behind it. Cheap. */
    isUnplaced?(occurrence: Occurrence): boolean;
    /** The same with where it belongs; as it was where that does not matter, or cannot be known any more. */
    placed?(occurrence: Occurrence, upstream: Upstream): Promise<Occurrence>;
    /** Ids under which our record of effects would have it. */
    traces(occurrence: Occurrence): readonly string[];
    /** Whether this write of ours caused it; `undecided` while that write's answer is not known. */
    isCausedBy(occurrence: Occurrence, write: OwnWrite): boolean | 'undecided';
  };
};
