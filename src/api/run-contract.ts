import { z } from '@hono/zod-openapi';
import { FaultShape } from '#runs';
import { ApprovalView, ShownRequest } from './approval-contract.ts';
import { AccountCalled, Actor, besideInput, EndUserId, NamedQuery, OfEndUser, TimedQuery } from './contract.ts';
import { Time, TimeOrNull } from './time.ts';

export const StepRun = z.strictObject(
  {
    accountId: AccountCalled.optional(),
    secretId: z.string().max(100).optional().openapi({ description: 'A stored secret instead of an account.' }),
    endUserId: EndUserId.optional(),
    input: z.record(z.string(), z.unknown()).default({}),
    permission: z.enum(['approval', 'autopilot']).default('approval').openapi({
      description:
        '"autopilot" counts for members and for keys with sends:autopilot; others ask a person, as without it.',
    }),
    dryRun: z.boolean().default(false),
  },
  besideInput,
);
export const StepResult = z
  .object({
    status: z.literal('succeeded'),
    runId: z.string(),
    output: z.unknown(),
    warnings: z.array(z.string()),
    summary: z.string().openapi({ description: 'What came of it, in one sentence.' }),
    account: z.object({ id: z.string(), name: z.string() }),
    replayed: z.boolean(),
  })
  .openapi('StepResult');

/** What would be written, as a dry run tells it. */
export const rehearsed = {
  effect: z.enum(['write', 'send', 'destroy']).nullable(),
  request: z.record(z.string(), z.unknown()).nullable().openapi({
    description: 'Method, path, query, headers and body of the first write; null when nothing would be written.',
  }),
  following: z.array(ShownRequest).optional().openapi({ description: 'What follows it, of a send: the send last.' }),
  view: ApprovalView.optional(),
};

export const DryRun = z
  .object({
    status: z.literal('dry_run'),
    ...rehearsed,
    account: z.object({ id: z.string(), name: z.string() }),
  })
  .openapi('DryRun');

const RunStatus = z.enum(['queued', 'running', 'waiting_approval', 'succeeded', 'failed', 'cancelled']);
export const RunSummary = z
  .object({
    id: z.string(),
    stepId: z.string().optional(),
    accountId: z.string().optional(),
    toolId: z.string().optional(),
    toolVersion: z.number().optional(),
    agentId: z.string().optional(),
    agentVersion: z.number().optional(),
    triggerId: z.string().optional(),
    eventId: z.string().optional(),
    about: z.string().optional().openapi({ description: 'What happened that started it, in a few words.' }),
    endUserId: z.string().optional().openapi({ description: 'For which end user it is, or whose trigger started it.' }),
    retryOf: z.string().optional().openapi({ description: 'The run that this one tries again.' }),
    cancelling: z
      .literal(true)
      .optional()
      .openapi({ description: 'Asked to be cancelled; it stops before its next write or turn of a model.' }),
    status: RunStatus,
    waiting: z
      .object({
        service: z.string().optional().openapi({ description: 'Which: an integration, or `model`.' }),
        code: z.enum(['upstream_unavailable', 'rate_limited']).openapi({
          description: 'Whether it is away, or asks for patience.',
        }),
        tries: z.number().openapi({ description: 'How often in a row it was asked in vain.' }),
        nextTryAt: Time.openapi({
          description: 'When it is asked again; during an emergency stop, not before that is over.',
        }),
      })
      .optional()
      .openapi({ description: 'A run that is queued because it waits for a service.' }),
    startedBy: Actor,
    createdAt: Time,
    finishedAt: TimeOrNull,
    error: FaultShape.nullable(),
  })
  .openapi('RunSummary');
export const Run = RunSummary.extend({
  account: z
    .object({ id: z.string(), name: z.string() })
    .optional()
    .openapi({ description: 'Of the run of a step: as whom it acts.' }),
  summary: z
    .string()
    .optional()
    .openapi({ description: 'Of the run of a step that succeeded: what came of it, in one sentence.' }),
  input: z.unknown(),
  output: z.unknown(),
  warnings: z.array(z.string()),
  journal: z.array(z.object({ seq: z.number(), at: Time, kind: z.string(), data: z.record(z.string(), z.unknown()) })),
}).openapi('Run');
export const Hint = z
  .object({
    type: z.enum(['run', 'approval', 'account', 'trigger', 'event', 'agent', 'tool', 'sync']),
    id: z.string().optional().openapi({ description: 'What has changed; all of them for `sync`.' }),
    status: z.string().optional().openapi({ description: 'Its state or outcome, where it is known.' }),
  })
  .openapi('Hint');
export const RunRetry = z.strictObject({
  evenIfUnknown: z.boolean().default(false).openapi({ description: 'Although something of it may have happened.' }),
  evenIfDone: z.boolean().default(false).openapi({ description: 'Although something of it is done once more.' }),
});
export const RetriedRun = z.object({ runId: z.string(), status: RunStatus, retryOf: z.string() }).openapi('RetriedRun');
export const RunQuery = TimedQuery.extend({
  status: RunStatus.optional(),
  agentId: z.string().max(100).optional(),
  toolId: z.string().max(100).optional(),
  endUserId: OfEndUser,
  query: NamedQuery.shape.query.openapi({
    description:
      'Words, each a part of what ran (agent, tool or step), of who or what started it (such as the subject of a mail and its sender), or of why it failed.',
  }),
});
