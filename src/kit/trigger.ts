import type { z } from 'zod';
import type { Upstream } from './upstream.ts';
import type { SettleContext, WatchContext } from './watching.ts';

/** One thing that happened at the service, in the service's own words. */
export type Occurrence = {
  /** The service's own identity of it, the same by whatever way it reaches us. Unique within the account. */
  key: string;
  /** The id under which a person would look for it, where that is not the key. */
  upstreamId?: string | undefined;
  /** Sorts what happened to one subject. */
  order: string;
  /** What it is about, such as a card or a mail thread: an agent meets what happened to it one after the other. */
  subject: string | null;
  at: Date;
  /** Parsed by each trigger's own schema. */
  body: unknown;
};

type Described = {
  /** The last part of the trigger's id: `card_moved` in `board.card_moved`. */
  name: string;
  title: string;
  purpose: string;
  /** What the account must have been granted, as for steps. */
  scopes?: readonly (readonly string[])[];
};

/** Who did it, where the service says so. */
export type EventActor = { id: string; name: string; isSelf: boolean };

/** What a trigger makes of an occurrence of its own type. */
export type Judgement =
  | { outcome: 'fired' }
  /** The field of the configuration, or the clause of a search filter, that did not admit it. */
  | { outcome: 'filtered'; clause: string }
  /** Never to be started by any configuration of this kind, with the reason in words for people. */
  | { outcome: 'skipped'; reason: string };

/** What a judgement may rest on besides the delivery. `since` is when the trigger was enabled. */
export type JudgeContext = { account: WatchContext['account']; since: Date; now: Date };

/** Whether the agent would use this part of the event, such as `['card', 'desc']`. */
export type UsesOfEvent = (part: readonly string[]) => boolean;

/** A trigger that is a pure function of one delivery. */
export type WebhookTrigger = Described & {
  kind: 'webhook';
  config: z.ZodObject;
  /** What occurrences of this trigger's own type look like; one of another shape belongs to another trigger. */
  delivery: z.ZodType;
  event: z.ZodType;
  /** The configuration as it is kept, with what only the service or the agent can tell: a name becomes an id once, when it is set. */
  settle?(config: unknown, context: SettleContext, uses: UsesOfEvent): Promise<unknown>;
  /** The service notifies of it and lists it nowhere: what happened before cannot be looked at. */
  neverListed?: boolean;
  /** What a configuration is understood as, where something else may have been meant; in words for people. */
  hints?(config: unknown): readonly string[];
  /** What must be watched for this configuration. */
  resources(config: unknown, context: WatchContext): Promise<readonly string[]>;
  /** Whether that may change by itself, as "all boards" does: then it is asked again from time to time. */
  resourcesChange?(config: unknown): boolean;
  /** Whether facts are missing without which this configuration cannot judge or show the delivery. */
  isIncomplete?(delivery: unknown, config: unknown): boolean;
  /** The delivery with those facts, read from the service. */
  complete?(delivery: unknown, context: WatchContext, config: unknown): Promise<unknown>;
  judge(delivery: unknown, config: unknown, context: JudgeContext): Judgement;
  /** Reasons for skipping that may be over when the same is met again: then it counts after all, once. */
  passing?: { reasons: readonly string[]; isOver(delivery: unknown): boolean };
  /** `pages` is where the service's own pages for people are, for links to them. */
  toEvent(delivery: unknown, config: unknown, pages?: URL): unknown;
  actorOf(delivery: unknown): Omit<EventActor, 'isSelf'> | undefined;
  /** One line for lists. */
  summaryOf(delivery: unknown): string;
  /** Compiles many configurations at once, where that is cheaper than judging one by one: which could fire at all? Those go first. */
  index?(configs: readonly { id: string; config: unknown }[]): (delivery: unknown) => ReadonlySet<string>;
  /** A recorded delivery that becomes an event under the default configuration. */
  sample: unknown;
};

export const defineWebhookTrigger = <Config extends z.ZodObject, Delivery extends z.ZodType, Event extends z.ZodType>(
  trigger: Described & {
    config: Config;
    delivery: Delivery;
    event: Event;
    settle?(config: z.output<Config>, context: SettleContext, uses: UsesOfEvent): Promise<z.output<Config>>;
    neverListed?: boolean;
    hints?(config: z.output<Config>): readonly string[];
    resources(config: z.output<Config>, context: WatchContext): Promise<readonly string[]>;
    resourcesChange?(config: z.output<Config>): boolean;
    isIncomplete?(delivery: z.output<Delivery>, config: z.output<Config>): boolean;
    complete?(
      delivery: z.output<Delivery>,
      context: WatchContext,
      config: z.output<Config>,
    ): Promise<z.output<Delivery>>;
    judge(delivery: z.output<Delivery>, config: z.output<Config>, context: JudgeContext): Judgement;
    passing?: { reasons: readonly string[]; isOver(delivery: z.output<Delivery>): boolean };
    toEvent(delivery: z.output<Delivery>, config: z.output<Config>, pages?: URL): z.input<Event>;
    actorOf(delivery: z.output<Delivery>): Omit<EventActor, 'isSelf'> | undefined;
    summaryOf(delivery: z.output<Delivery>): string;
    index?(
      configs: readonly { id: string; config: z.output<Config> }[],
    ): (delivery: z.output<Delivery>) => ReadonlySet<string>;
    sample: unknown;
  },
): WebhookTrigger => ({ kind: 'webhook', ...trigger }) as unknown as WebhookTrigger;

/** What a polled trigger saw: `key` names the occurrence for ever. */
export type Sighting = {
  key: string;
  order: string;
  subject: string | null;
  at: Date;
  event: unknown;
  actor?: Omit<EventActor, 'isSelf'> | undefined;
  summary: string;
  /** What is behind it, as a watch would tell it: by that it is known whether we did it ourselves. */
  cause?: Occurrence | undefined;
  /** `filtered` and `skipped` are shown too; absent means that it fires. */
  judgement?: Judgement | undefined;
};

/** `cursor` is what the last look left behind; `undefined` at the first, which only learns what is there already. */
export type LookContext<Config> = {
  upstream: Upstream;
  account: WatchContext['account'];
  config: Config;
  cursor: unknown;
  since: Date;
  now: Date;
  /** Where the service's own pages for people are. */
  pages?: URL | undefined;
};

/** What was seen, but could not be read: it is tried again by itself. */
export type Unread = { occurrence: Occurrence; error: unknown };

export type Looked = {
  sightings: readonly Sighting[];
  unread?: readonly Unread[] | undefined;
  cursor: unknown;
  /** When something is known to become due before the next regular look. */
  nextAt?: Date | undefined;
  /** Why nothing, or not all, is to be expected, and what to do about it. */
  hindrance?: string | undefined;
};

/** A trigger that looks again and again, and names what it saw. */
export type PollTrigger = Described & {
  kind: 'poll';
  every: { seconds: number };
  config: z.ZodObject;
  event: z.ZodType;
  /** As for the other kind. */
  settle?(config: unknown, context: SettleContext, uses: UsesOfEvent): Promise<unknown>;
  look(context: LookContext<unknown>): Promise<Looked>;
  /** Reads what a look could not read. */
  read?(occurrence: Occurrence, context: LookContext<unknown>): Promise<Sighting>;
  /** What the configuration asks for instead of `every`, in seconds. */
  pollSeconds?(config: unknown): number | undefined;
  /** An event as it could look, for a test run. */
  sample: unknown;
};

export const definePollTrigger = <Config extends z.ZodObject, Event extends z.ZodType>(
  trigger: Described & {
    every: { seconds: number };
    config: Config;
    event: Event;
    settle?(config: z.output<Config>, context: SettleContext, uses: UsesOfEvent): Promise<z.output<Config>>;
    look(context: LookContext<z.output<Config>>): Promise<Looked>;
    read?(occurrence: Occurrence, context: LookContext<z.output<Config>>): Promise<Sighting>;
    pollSeconds?(config: z.output<Config>): number | undefined;
    sample: z.input<Event>;
  },
): PollTrigger => ({ kind: 'poll', ...trigger }) as unknown as PollTrigger;

export type Trigger = WebhookTrigger | PollTrigger;
