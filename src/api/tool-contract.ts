import { z } from '@hono/zod-openapi';
import { ChangeOf, saysMoreThanVersion } from './change-of.ts';
import { besideInput, EndUserId, NamedQuery, PermissionTypeName } from './contract.ts';
import { rehearsed } from './run-contract.ts';

/** The shapes of tools and agents. */

const Time = z.date().openapi({ type: 'string', format: 'date-time' });
const Name = z.string().trim().min(1).max(200);
const Key = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a word of letters, digits and _');
const Id = z.string().min(1).max(100);
const Values = z.record(z.string(), z.unknown());
const Permission = z.enum(['approval', 'autopilot']).openapi('Permission', {
  description: 'Whether what leaves waits for a person. Where step and agent differ the stricter wins.',
});

const ToolInput = z
  .strictObject({
    name: Key,
    type: z.enum(['string', 'number', 'boolean', 'object', 'array', 'account']),
    required: z.boolean().optional().openapi({ description: 'Default false; an account is always required.' }),
    default: z.unknown().optional(),
    description: z.string().max(2_000).optional(),
    integration: z.string().max(100).optional().openapi({ description: 'Of an account: which service.' }),
    permissionType: PermissionTypeName.optional(),
  })
  .openapi('ToolInput');

const ToolStep = z
  .strictObject({
    key: Key.openapi({ description: 'Names the step in {{steps.key.output}}.' }),
    step: z.string().min(1).max(100),
    account: z.union([z.strictObject({ id: Id }), z.strictObject({ input: Key }), z.strictObject({ secret: Id })]),
    input: Values.default({}).openapi({ description: 'May hold {{inputs.x}} and {{steps.key.output.path}}.' }),
    permission: Permission.default('approval'),
  })
  .openapi('ToolStep');

const toolFields = {
  name: Name,
  description: z.string().max(10_000),
  inputs: z.array(ToolInput).max(50),
  steps: z.array(ToolStep).min(1).max(25),
  output: z.unknown().optional().openapi({ description: 'Default: what the last step answered.' }),
};
export const NewTool = z
  .strictObject({
    ...toolFields,
    description: toolFields.description.default(''),
    inputs: toolFields.inputs.default([]),
  })
  .openapi('NewTool');
export const ToolChange = z
  .strictObject({ ...z.strictObject(toolFields).partial().shape, version: ChangeOf })
  .refine(saysMoreThanVersion, 'give at least one of name, description, inputs, steps and output');
export const ToolUsers = z
  .object({ items: z.array(z.object({ id: z.string(), name: z.string(), state: z.enum(['enabled', 'paused']) })) })
  .openapi('ToolUsers');
export const Tool = z
  .object({
    id: z.string(),
    ...toolFields,
    version: z.number(),
    createdAt: Time,
    updatedAt: Time,
  })
  .openapi('Tool');

export const ToolRun = z.strictObject(
  {
    input: Values.default({}),
    endUserId: EndUserId.optional(),
    permission: Permission.default('approval'),
    dryRun: z.boolean().default(false),
  },
  besideInput,
);
export const ToolResult = z
  .object({
    status: z.literal('succeeded'),
    runId: z.string(),
    output: z.unknown(),
    warnings: z.array(z.string()),
    replayed: z.boolean(),
  })
  .openapi('ToolResult');
export const ToolDryRun = z
  .object({
    status: z.literal('dry_run'),
    steps: z.array(
      z.object({
        key: z.string(),
        step: z.string(),
        account: z.object({ id: z.string(), name: z.string() }),
        input: Values.nullable().openapi({ description: 'Null when it depends on what an earlier step answers.' }),
        ...rehearsed,
        needs: z.array(z.string()).openapi({ description: 'Answers of earlier steps that only a real run has.' }),
      }),
    ),
  })
  .openapi('ToolDryRun');

const AgentTool = z
  .strictObject({
    toolId: Id,
    permission: Permission.default('approval'),
    recipients: z.enum(['guarded', 'anyone']).default('guarded'),
  })
  .openapi('AgentTool');
const ToolRunner = z
  .strictObject({
    type: z.literal('tool'),
    toolId: Id,
    input: Values.default({}).openapi({ description: "The tool's inputs; may hold {{event.data.x}}." }),
  })
  .openapi('ToolRunner');
const ModelRunner = z
  .strictObject({
    type: z.literal('model'),
    provider: z.enum(['openai-compatible', 'anthropic']).optional(),
    model: z.string().min(1).max(200).optional(),
    baseUrl: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .openapi({ description: "Another server than the operator's. The operator's key is not sent there." }),
    input: Values.default({}).openapi({
      description: 'Inputs of its tools that the model neither sees nor chooses, by name; may hold {{event.data.x}}.',
    }),
    maxTurns: z.number().int().min(1).max(100).default(20),
    maxTokens: z.number().int().min(1).max(10_000_000).default(200_000),
    maxSeconds: z.number().int().min(1).max(3_600).default(600),
  })
  .openapi('ModelRunner', {
    description: "A language model calls the agent's tools. Without provider, model and baseUrl: the operator's.",
  });
const WebhookRunner = z
  .strictObject({
    type: z.literal('webhook'),
    url: z.string().min(1).max(2_000).openapi({ description: 'https, and reachable by the world.' }),
    input: Values.default({}).openapi({
      description: 'Inputs of its tools that the agent neither sees nor chooses, by name; may hold {{event.data.x}}.',
    }),
    deadlineSeconds: z.number().int().min(1).max(86_400).default(3_600),
  })
  .openapi('WebhookRunner', {
    description:
      "What happens is posted, signed, to another platform's agent, which calls back with the run's own key.",
  });
const Runner = z.discriminatedUnion('type', [ToolRunner, ModelRunner, WebhookRunner]);

const agentFields = {
  name: Name,
  instructions: z.string().max(100_000),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(100)
    .nullable()
    .optional()
    .openapi({ description: 'How many of its runs are carried out at once; null for as many as there are.' }),
  tools: z.array(AgentTool).max(50),
  runner: Runner,
};
const AgentState = z.enum(['enabled', 'paused']);

export const AgentQuery = NamedQuery.extend({ state: AgentState.optional() });

export const NewAgent = z
  .strictObject({
    ...agentFields,
    instructions: agentFields.instructions.default(''),
    tools: agentFields.tools.default([]),
  })
  .openapi('NewAgent');
export const AgentChange = z
  .strictObject({ ...z.strictObject({ ...agentFields, state: AgentState }).partial().shape, version: ChangeOf })
  .refine(saysMoreThanVersion, `give at least one of ${[...Object.keys(agentFields), 'state'].join(', ')}`);
export const Agent = z
  .object({
    id: z.string(),
    ...agentFields,
    state: AgentState,
    version: z.number(),
    createdAt: Time,
    updatedAt: Time,
  })
  .openapi('Agent');
const Count = z.number().int();
const RunStatus = z.enum(['queued', 'running', 'waiting_approval', 'succeeded', 'failed', 'cancelled']);
export const AgentInUse = Agent.extend({
  activity: z.object({
    triggers: z
      .array(z.object({ id: z.string(), name: z.string(), state: z.enum(['enabled', 'paused', 'broken']) }))
      .openapi({ description: 'At most three: those that do not work first, then the newest.' }),
    moreTriggers: Count.openapi({ description: 'How many more there are.' }),
    moreBroken: Count.openapi({ description: 'How many of these are broken.' }),
    pendingApprovals: Count,
    lastRun: z.object({ id: z.string(), status: RunStatus, createdAt: Time }).nullable(),
  }),
}).openapi('AgentInUse');
export const SavedAgent = Agent.extend({
  secret: z.string().optional().openapi({ description: 'What requests to it are signed with; shown this once.' }),
}).openapi('SavedAgent');

const Ending = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('succeeded'), output: z.unknown().optional() }),
  z.strictObject({ status: z.literal('failed'), error: z.string().trim().min(1).max(2_000).optional() }),
]);
export const RunEnding = Ending.openapi('RunEnding');

export const AgentStart = z.strictObject({ input: Values.default({}), endUserId: EndUserId.optional() }, besideInput);
export const StartedRun = z
  .object({
    runId: z.string(),
    status: RunStatus,
  })
  .openapi('StartedRun');
