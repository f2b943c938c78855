import type { z } from 'zod';
import type { Upstream } from './upstream.ts';

type Described = {
  /** The last part of the trigger's id: `card_moved` in `board.card_moved`. */
  name: string;
  title: string;
  purpose: string;
};

/** A trigger that is a pure function of one delivery. */
export type WebhookTrigger = Described & {
  kind: 'webhook';
  config: z.ZodObject;
  delivery: z.ZodType;
  event: z.ZodType;
  key(delivery: unknown): string;
  matches(delivery: unknown, config: unknown): boolean;
  toEvent(delivery: unknown): unknown;
  /** A recorded delivery that becomes an event under the default configuration. */
  sample: unknown;
};

export const defineWebhookTrigger = <Config extends z.ZodObject, Delivery extends z.ZodType, Event extends z.ZodType>(
  trigger: Described & {
    config: Config;
    delivery: Delivery;
    event: Event;
    key(delivery: z.output<Delivery>): string;
    matches(delivery: z.output<Delivery>, config: z.output<Config>): boolean;
    toEvent(delivery: z.output<Delivery>): z.input<Event>;
    sample: unknown;
  },
): WebhookTrigger => ({ kind: 'webhook', ...trigger }) as unknown as WebhookTrigger;

/** What a polled trigger saw: `key` names the occurrence for ever. */
export type Sighting = { key: string; event: unknown };

export type LookContext<Config> = { upstream: Upstream; config: Config; since: Date; now: Date };

/** A trigger that looks again and again, and names what it saw. */
export type PollTrigger = Described & {
  kind: 'poll';
  every: { seconds: number };
  config: z.ZodObject;
  event: z.ZodType;
  look(context: LookContext<unknown>): Promise<Sighting[]>;
};

export const definePollTrigger = <Config extends z.ZodObject, Event extends z.ZodType>(
  trigger: Described & {
    every: { seconds: number };
    config: Config;
    event: Event;
    look(context: LookContext<z.output<Config>>): Promise<Sighting[]>;
  },
): PollTrigger => ({ kind: 'poll', ...trigger }) as unknown as PollTrigger;

export type Trigger = WebhookTrigger | PollTrigger;
