import { z } from '@hono/zod-openapi';
import { ChangeOf, saysMoreThanVersion } from './change-of.ts';
import { AccountCalled, NamedQuery, OfEndUser, TimedQuery } from './contract.ts';
import { Time, TimeOrNull } from './time.ts';

const Id = z.string().max(100);
const Query = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(200).optional(),
});
const Config = z.record(z.string(), z.unknown());

const TriggerState = z.enum(['enabled', 'paused', 'broken']);

const TriggerWatch = z
  .object({
    id: z.string(),
    resource: z.string(),
    name: z.string().nullable().openapi({
      description: 'What people call it, as the service last told it; null where that is not known. Text from outside.',
    }),
    state: z.enum(['starting', 'healthy', 'degraded', 'broken']),
    reason: z.string().nullable(),
    way: z.enum(['push', 'poll']),
    lastNotifiedAt: TimeOrNull,
    caughtUpAt: TimeOrNull,
    nextLookAt: Time,
  })
  .openapi('TriggerWatch');

export const Trigger = z
  .object({
    id: z.string(),
    agentId: z.string(),
    accountId: z.string(),
    endUserId: z.string().optional().openapi({ description: 'Whose account that is, on an embedding platform.' }),
    type: z.string().openapi({ example: 'board.new_card' }),
    name: z.string(),
    config: Config,
    names: z.record(z.string(), z.string()).openapi({
      description:
        'What the ids in `config` were called at the service when the trigger was last saved, by id: boards, lists, cards, labels, people, folders, workspaces. What could not be told is left out. Text from outside.',
      example: { '5f2b8c1d9e4a3b0012345678': 'Launch' },
    }),
    version: z.number().openapi({ description: 'Grows with each change of its name or configuration.' }),
    state: TriggerState,
    reason: z.string().nullable(),
    missing: z.array(z.string()).openapi({
      description:
        "What the agent's inputs take from the event, and no event of this type has: while there is any, each run that it starts fails.",
      example: ['{{event.data.message.subject}}'],
    }),
    since: Time.openapi({ description: 'Nothing that happened before starts the agent.' }),
    createdAt: Time,
    watches: z.array(TriggerWatch),
  })
  .openapi('Trigger');

export const NewTrigger = z.strictObject({
  agentId: Id,
  type: Id,
  accountId: AccountCalled,
  config: Config.default({}),
  name: z.string().trim().min(1).max(200).optional(),
});

export const TriggerChange = z
  .strictObject({
    name: z.string().trim().min(1).max(200).optional(),
    config: Config.optional(),
    state: z.enum(['enabled', 'paused']).optional(),
    catchUp: z.boolean().optional().openapi({
      description:
        'With `state: enabled`: what was skipped during the pause starts the agent now. Refused (409) where the trigger is not paused.',
    }),
    version: ChangeOf,
  })
  .refine(saysMoreThanVersion, 'give at least one of name, config and state')
  .refine(({ catchUp, state }) => catchUp === undefined || state === 'enabled', {
    path: ['catchUp'],
    message: 'goes with state: "enabled", which ends the pause that is caught up with',
  });

export const TriggerQuery = Query.extend({
  agentId: Id.optional(),
  accountId: Id.optional(),
  endUserId: OfEndUser,
  state: TriggerState.optional(),
});

/** What a trigger is made of may be sent as it is: its agent must be there, its name changes nothing. */
export const PreviewRequest = NewTrigger.partial({ agentId: true }).extend({
  triggerId: Id.optional().openapi({
    description:
      'Of which trigger this is a change: where something chosen is gone, the refusal names it as it was called there.',
  }),
  limit: z.int().min(0).max(50).default(50).openapi({
    description: 'How many recent occurrences. With 0 the configuration is checked, and the service is asked nothing.',
  }),
});

export const Preview = z
  .object({
    items: z.array(
      z.object({
        upstreamId: z.string(),
        occurredAt: Time,
        summary: z.string(),
        outcome: z.enum(['fired', 'filtered', 'skipped']),
        clause: z.string().optional(),
        reason: z.string().optional(),
        data: z.unknown().optional(),
      }),
    ),
    others: z.number(),
    note: z.string().optional(),
    hints: z.array(z.string()).optional().openapi({
      description: 'What the configuration is understood as, where something else may have been meant.',
    }),
  })
  .openapi('Preview');

const Finding = z.object({ check: z.string(), ok: z.boolean(), message: z.string() }).openapi('Finding');

export const Diagnosis = z
  .object({
    triggerId: z.string(),
    cause: Finding.optional(),
    findings: z.array(Finding),
    watches: z.array(TriggerWatch),
    nextLookAt: TimeOrNull,
    gaps: z.array(z.object({ at: Time, text: z.string() })),
    skippedInPause: z.number().optional().openapi({
      description: 'Of a paused trigger: how many it has skipped so far that `catchUp` would start.',
    }),
    recent: z.array(
      z.object({
        id: z.string(),
        outcome: z.string(),
        summary: z.string(),
        clause: z.string().nullable(),
        reason: z.string().nullable(),
        occurredAt: Time,
      }),
    ),
  })
  .openapi('Diagnosis');

const Outcome = z.enum(['fired', 'filtered', 'skipped', 'failed']);
const Retry = z.enum(['retrying', 'dead']);

export const EventSummary = z
  .object({
    id: z.string(),
    triggerId: z.string(),
    upstreamId: z.string(),
    outcome: Outcome,
    clause: z.string().optional().openapi({ description: 'Which part of the configuration did not admit it.' }),
    reason: z.string().optional(),
    retry: z.object({ state: Retry, attempts: z.number(), nextTryAt: TimeOrNull }).optional(),
    occurredAt: Time,
    receivedAt: Time,
    delivery: z.enum(['live', 'catchup', 'test', 'replay']),
    isSample: z
      .literal(true)
      .optional()
      .openapi({ description: 'Its mail or card is made up: it is a test event, or a replay of one.' }),
    runId: z.string().optional(),
    replayedAs: z
      .object({ id: z.string(), outcome: Outcome })
      .optional()
      .openapi({ description: 'The newest replay of it, or of what it replays, and what became of that.' }),
    summary: z.string(),
    actor: z.object({ id: z.string(), name: z.string(), isSelf: z.boolean() }).optional(),
  })
  .openapi('EventSummary');
export const Event = EventSummary.extend({ data: z.unknown().optional() }).openapi('Event');

export const EventQuery = TimedQuery.extend({
  triggerId: Id.optional(),
  endUserId: OfEndUser,
  outcome: Outcome.optional(),
  retry: Retry.optional().openapi({ description: 'Of what failed: what is tried again, or what was given up.' }),
  upstreamId: z.string().max(1_000).optional(),
  query: NamedQuery.shape.query.openapi({
    description: 'Words, each a part of the summary (such as a subject or a card) or of who did it.',
  }),
});
