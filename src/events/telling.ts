import type { Database, Delivery } from '#store';

/** An agent was started, by ids alone. */
export type FiredEvent = {
  workspaceId: string;
  eventId: string;
  triggerId: string;
  agentId: string;
  runId: string;
  type: string;
  upstreamId: string;
  occurredAt: string;
  /** Whether it happened just now, or somebody made it happen again. */
  delivery: Delivery;
  /** Whose account it happened in. */
  endUserId?: string;
};

/** A trigger does not fire any more until somebody does something. */
export type BrokenTrigger = {
  workspaceId: string;
  triggerId: string;
  agentId: string;
  accountId: string;
  type: string;
  endUserId?: string;
  reason: string;
};

/** Those who want to know. They are told in the transaction in which it happens. */
export type Telling = {
  /** Whether there is anybody in these workspaces. May be half a second behind. */
  wantFired(workspaceIds: readonly string[]): Promise<boolean>;
  fired(tx: Database, events: readonly FiredEvent[]): Promise<void>;
  broken(tx: Database, triggers: readonly BrokenTrigger[]): Promise<void>;
};
