import { z } from '@hono/zod-openapi';
import { Actor, NamedQuery, OfEndUser } from './contract.ts';
import { Time, TimeOrNull } from './time.ts';

/** The shapes of approvals. */

const Status = z.enum(['pending', 'approved', 'rejected', 'expired', 'void']).openapi('ApprovalStatus');
const Addressed = z.object({ name: z.string().optional(), address: z.string() });
const Values = z.record(z.string(), z.unknown());

const part = {
  kind: z.enum(['mail', 'event', 'request']),
  from: Addressed.optional(),
  to: z.array(Addressed),
  cc: z.array(Addressed),
  bcc: z.array(Addressed),
  replyTo: z.array(Addressed),
  subject: z.string().optional(),
  body: z
    .object({ text: z.string(), html: z.string().optional() })
    .optional()
    .openapi({ description: 'As it reads, and the source where it is HTML. Show the source inert.' }),
  attachments: z.array(
    z.object({
      name: z.string(),
      contentType: z.string().optional(),
      size: z.number().optional(),
      sha256: z.string().optional(),
      id: z.string().optional().openapi({
        description: 'Of a file that the service holds and that is too large to be read for this: the id it has there.',
      }),
      copyOf: z.string().optional().openapi({
        description: 'The same of a file that the service copies from the message that is answered or forwarded.',
      }),
      carried: z
        .literal(true)
        .optional()
        .openapi({ description: 'Of what is answered, inside of its text; the service may leave it out.' }),
    }),
  ),
  fields: Values.openapi({ description: 'Everything else that the request says.' }),
  warnings: z.array(z.string()),
};
export const ApprovalView = z
  .object({ ...part, parts: z.array(z.object(part)).optional() })
  .openapi('ApprovalView', { description: 'Drawn from the requests themselves, and covered by the digest.' });

export const ShownRequest = z.object({
  method: z.string(),
  path: z.string(),
  query: Values.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  content: z.unknown().optional(),
});

const summary = {
  id: z.string(),
  status: Status,
  digest: z.string().openapi({ description: 'Stands for account, requests and view. A decision names it.' }),
  runId: z.string(),
  stepId: z.string(),
  effect: z
    .enum(['send', 'destroy'])
    .openapi({ description: 'A removal waits only where an agent has removed a lot; it cannot be edited.' }),
  account: z.object({
    id: z.string(),
    name: z.string(),
    integration: z.string(),
    address: z.string().optional().openapi({ description: 'Of a mailbox: as whom it acts, however it is named here.' }),
    username: z.string().optional().openapi({ description: 'The same of a member of a board service.' }),
  }),
  headline: z.object({
    kind: part.kind,
    to: part.to,
    cc: part.cc,
    bcc: part.bcc,
    subject: part.subject,
    request: z.string().optional().openapi({ description: 'Method and path of a call that has no subject.' }),
    recipients: z
      .number()
      .optional()
      .openapi({ description: 'How many there are in all; `to`, `cc` and `bcc` hold the first twenty of each.' }),
    attachments: z.number(),
    warnings: z.number(),
  }),
  cause: z.object({
    startedBy: Actor,
    stepId: z.string(),
    toolId: z.string().optional(),
    agentId: z.string().optional(),
    triggerId: z.string().optional(),
    eventId: z.string().optional(),
    endUserId: z.string().optional().openapi({ description: 'For which end user its run is.' }),
    why: z.string().optional().openapi({ description: 'Why a run that may send by itself asks.' }),
  }),
  createdAt: Time,
  expiresAt: Time,
  decidedAt: TimeOrNull,
  decidedBy: z.union([Actor, z.null()]),
  reason: z.string().nullable(),
};

export const ApprovalSummary = z.object(summary).openapi('ApprovalSummary');
export const Approval = z
  .object({
    ...summary,
    request: ShownRequest,
    following: z.array(ShownRequest).openapi({ description: 'What follows the request, the send last.' }),
    view: ApprovalView,
    input: Values.openapi({ description: 'What the step is given; an edit changes fields of it.' }),
  })
  .openapi('Approval');

/** What the agent of a run is told: not what would be sent, only whether it was. */
export const ApprovalStanding = z
  .object({
    id: summary.id,
    status: Status,
    runId: summary.runId,
    stepId: summary.stepId,
    createdAt: Time,
    expiresAt: Time,
    decidedAt: summary.decidedAt,
    reason: summary.reason,
  })
  .openapi('ApprovalStanding');

type Standing = z.output<typeof ApprovalStanding>;

export const standingOf = (approval: Standing): Standing => {
  const { id, status, runId, stepId, createdAt, expiresAt, decidedAt, reason } = approval;
  return { id, status, runId, stepId, createdAt, expiresAt, decidedAt, reason };
};

export const ApprovalQuery = NamedQuery.extend({
  status: Status.optional(),
  agentId: z.string().max(100).optional(),
  accountId: z.string().max(100).optional(),
  endUserId: OfEndUser,
  query: NamedQuery.shape.query.openapi({
    description: 'Words, each a part of the subject or of the name or address of somebody it would reach.',
  }),
  order: z
    .enum(['newest', 'expiring'])
    .default('newest')
    .openapi({ description: 'What expires soonest comes first with `expiring`; with the status `pending`.' }),
}).refine(({ status, order }) => order === 'newest' || status === 'pending', {
  path: ['order'],
  message: 'only what is pending expires: give status=pending, too',
});
const Digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest that was shown');
export const Approve = z.strictObject({ digest: Digest });
export const Reject = z.strictObject({
  reason: z
    .string()
    .trim()
    .max(2_000)
    // A field that was left blank gives none.
    .transform((given) => (given === '' ? undefined : given))
    .optional(),
});
export const Edit = z.strictObject({
  changes: Values.refine((changes) => Object.keys(changes).length > 0, 'something must be changed').openapi({
    description: 'Fields of the input, such as subject, body, to, cc or bcc.',
  }),
  digest: Digest.optional().openapi({
    description: 'Of what was shown to whoever edits it. If somebody has changed it since, nothing is (409).',
  }),
});

/** What a run answers that waits. */
export const WaitingRun = z
  .object({ status: z.literal('waiting_approval'), runId: z.string(), approval: Approval })
  .openapi('WaitingRun');

/** What a call answers that another platform's agent made in its run. */
export const WaitingCall = z
  .object({ status: z.literal('waiting_approval'), runId: z.string(), approval: ApprovalStanding })
  .openapi('WaitingCall');
