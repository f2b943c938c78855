import { z } from 'zod';

const id = (what: string) => z.string().describe(what);

const runFinished = z.object({
  runId: id('The run; read it for input, output and journal.'),
  status: z.enum(['succeeded', 'failed', 'cancelled']),
  agentId: id('The agent that ran.').optional(),
  toolId: id('The tool that ran.').optional(),
  stepId: id('The step that ran.').optional(),
  triggerId: id('The trigger that started it.').optional(),
  eventId: id('The event that started it.').optional(),
  endUserId: id('The end user for whom it runs.').optional(),
  errorCode: z.string().optional().describe('Why it failed; one of the error codes of the API.'),
});

const approvalRequested = z.object({
  approvalId: id('The approval; read it for what would be sent.'),
  runId: id('The run that waits.'),
  accountId: id('The account that would act.'),
  endUserId: id('The end user for whom the run is.').optional(),
  effect: z.enum(['send', 'destroy']),
  expiresAt: z.iso.datetime().describe('When it can no longer be approved.'),
});

const accountNeedsReconnect = z.object({
  accountId: id('The account whose access has ended.'),
  integration: z.string(),
  name: z.string().describe('The name of the account.'),
  endUserId: id('The end user whose account it is.').optional(),
  reason: z.string().describe('What a person should do.'),
});

const triggerBroken = z.object({
  triggerId: id('The trigger that no longer fires.'),
  agentId: id('The agent that it starts.'),
  accountId: id('The account that it watches.'),
  type: z.string().describe('The type of the trigger.'),
  endUserId: id('The end user whose account it watches.').optional(),
  reason: z.string().describe('What a person should do.'),
});

const eventFired = z.object({
  eventId: id('The event; read it for what happened.'),
  triggerId: id('The trigger that fired.'),
  agentId: id('The agent that was started.'),
  runId: id('The run that was started.').optional(),
  type: z.string().describe('The type of the trigger.'),
  upstreamId: id('The mail or board action, as its service names it.'),
  occurredAt: z.iso.datetime(),
  delivery: z
    .enum(['live', 'catchup', 'test', 'replay'])
    .describe('Whether it was just told of, found later, a sample (test), or started once more (replay).'),
  endUserId: id('The end user whose account it happened in.').optional(),
});

const webhookTest = z.object({ webhookId: id('The webhook that is tried out.') });

/**
 * Everything that receivers are told. Thin on purpose: ids, states and our own sentences, never the content of a mail or a card;
 * who may read that asks the API for it. What is not named here does not leave.
 */
export const noticeTypes = {
  'run.finished': { purpose: 'A run has ended.', data: runFinished },
  'approval.requested': { purpose: 'A send or a removal waits for a decision.', data: approvalRequested },
  'account.needs_reconnect': {
    purpose: 'A service refuses an account; connect it again.',
    data: accountNeedsReconnect,
  },
  'trigger.broken': { purpose: 'A trigger cannot watch any more.', data: triggerBroken },
  'event.fired': { purpose: 'A trigger has started its agent.', data: eventFired },
  'webhook.test': { purpose: 'Somebody tries a webhook out; sent only on request.', data: webhookTest },
} as const satisfies Record<string, { purpose: string; data: z.ZodObject }>;

export type NoticeType = keyof typeof noticeTypes;

/** What webhooks can ask for. */
export const eventTypes = [
  'run.finished',
  'approval.requested',
  'account.needs_reconnect',
  'trigger.broken',
  'event.fired',
] as const satisfies readonly NoticeType[];

export type EventType = (typeof eventTypes)[number];

export type NoticeData<Type extends NoticeType> = z.input<(typeof noticeTypes)[Type]['data']>;

/** Something that happened in a workspace and that others may want to know. */
export type Notice = {
  [Type in NoticeType]: { workspaceId: string; type: Type; data: NoticeData<Type> };
}[NoticeType];

/** The body of every delivery. */
export type Payload = { type: string; timestamp: string; data: unknown };
