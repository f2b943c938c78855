import { z } from '@hono/zod-openapi';
import { auditNouns, endUserIdShape, isAuditAction } from '#kit';
import { Time, TimeOrNull } from './time.ts';

/** The shapes of the API. Requests refuse unknown fields; answers hold exactly what is written here. */

export const Name = z.string().trim().min(1).max(200);
const Email = z.string().trim().toLowerCase().max(254).pipe(z.email());

export const RoleName = z.enum(['viewer', 'approver', 'builder', 'owner']).openapi('Role');
export const ScopeName = z
  .enum(['read', 'run', 'build', 'connect', 'admin', 'approvals:decide', 'sends:autopilot'])
  .openapi('Scope');

export const PermissionTypeName = z
  .enum(['standard', 'shared_mailboxes', 'meetings_collaboration', 'mailbox_settings'])
  .openapi('PermissionType');

export const EndUserId = endUserIdShape().openapi({
  description: 'For this end user of an embedding platform: accounts of all others do not exist then.',
});

/** Whoever knows the steps and tools from MCP sends their arguments bare. */
export const besideInput = {
  error: ({ code }: { code?: string }) =>
    code === 'unrecognized_keys'
      ? 'is not a field here; arguments stand inside "input", as { "input": { … } }'
      : undefined,
};

const PermissionTypes = z.array(PermissionTypeName).min(1).max(4);
export const NewConnect = z
  .strictObject({
    integration: z.string().max(100),
    method: z.enum(['oauth2', 'authorize']).optional(),
    permissionTypes: PermissionTypes.optional(),
    accountId: z.string().max(100).optional().openapi({ description: 'Connect this account again.' }),
    endUserId: EndUserId.optional(),
    returnUrl: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional(),
  })
  .openapi('NewConnect', {
    description:
      'What makes a connect link. Errors and accounts hold one where somebody must grant access, or grant it again.',
  });

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(200).optional(),
});

/** Of a list in which people look for something by its name. */
export const NamedQuery = PageQuery.extend({
  query: z.string().trim().min(1).max(200).optional().openapi({ description: 'A part of the name.' }),
});

/** Of a list that is given as a whole where nobody asks for a part of it. */
export const WholeQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).optional().openapi({ description: 'All of them if left out.' }),
  cursor: z.string().max(2000).optional(),
});

export const ById = z.object({ id: z.string().regex(/^[\w.-]{1,100}$/, 'is not an id') });

const ErrorDetails = z
  .looseObject({
    fields: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'The fields that are wrong, by their place in the request ("input.to[0]"), and why.' }),
    candidates: z
      .array(z.unknown())
      .optional()
      .openapi({ description: 'What could be named instead of what nothing or several are called.' }),
    upstream: z
      .looseObject({ status: z.number(), code: z.string().optional() })
      .optional()
      .openapi({ description: "The service's own refusal." }),
    missingScopes: z.array(z.string()).optional().openapi({ description: 'What the account was not granted.' }),
    connect: NewConnect.optional(),
    done: z.array(z.unknown()).optional().openapi({
      description:
        'What was done outside before it failed, and would be done again: steps of a tool by key, writes of a step by `method`, `path` and the `id` of what was made.',
    }),
    retryable: z
      .boolean()
      .optional()
      .openapi({ description: 'Nothing happened, and the same request may go well later.' }),
  })
  .openapi('ErrorDetails', { description: 'More that belongs to one kind of error may stand beside these.' });

export const ErrorBody = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string().openapi({ description: 'What happened and what to do next.' }),
      details: ErrorDetails.optional(),
      retryAfterMs: z.number().optional(),
      requestId: z.string(),
    }),
  })
  .openapi('Error');

export const Actor = z
  .object({
    kind: z.enum(['member', 'key', 'system']),
    id: z.string(),
    name: z.string(),
    via: z
      .enum(['mcp'])
      .optional()
      .openapi({ description: 'A model acted for them, over MCP, or gave what they try again.' }),
  })
  .openapi('Actor');

export const Workspace = z
  .object({
    id: z.string(),
    name: z.string(),
    stopped: z.boolean().openapi({ description: 'Emergency stop: nothing is sent or started.' }),
    createdAt: Time,
  })
  .openapi('Workspace');
export const OwnWorkspace = Workspace.extend({ role: z.union([RoleName, z.null()]) }).openapi('OwnWorkspace');
export const WorkspaceChange = z.strictObject({ name: Name });

export const SignIn = z.strictObject({ email: Email, password: z.string().min(1).max(1000) });
export const NewPassword = z.strictObject({
  password: z.string().min(12).max(1000),
  currentPassword: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .openapi({ description: 'Needed where there is one, except within 15 minutes of signing in by a link.' }),
});
export const SwitchWorkspace = z.strictObject({ workspaceId: z.string().max(100) });

export const Member = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: RoleName,
    hasPassword: z.boolean(),
    createdAt: Time,
  })
  .openapi('Member');
export const NewMember = z.strictObject({ email: Email, name: Name.optional(), role: RoleName });
export const RoleChange = z.strictObject({ role: RoleName });
export const SignInLink = z.object({ url: z.string(), expiresAt: Time }).openapi('SignInLink');
export const Session = z.object({ member: Member, workspace: Workspace }).openapi('Session');

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().openapi({ description: 'The last characters of the key.' }),
    scopes: z.array(z.string()),
    createdAt: Time,
    lastUsedAt: TimeOrNull,
    expiresAt: TimeOrNull,
    revokedAt: TimeOrNull,
  })
  .openapi('ApiKey');
export const NewApiKey = z.strictObject({
  name: Name,
  scopes: z.array(ScopeName).min(1).max(10),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export const CreatedApiKey = ApiKey.extend({
  key: z.string().openapi({ description: 'Shown this once; it cannot be read again.' }),
}).openapi('CreatedApiKey');

export const ClientGrant = z
  .object({
    id: z.string(),
    clientName: z.string().openapi({ description: 'As the program calls itself; nobody has checked it.' }),
    person: z.object({ id: z.string(), name: z.string() }),
    scopes: z.array(z.string()),
    resource: z.string().openapi({ description: 'The one address that its tokens open.' }),
    createdAt: Time,
    lastUsedAt: TimeOrNull,
    revokedAt: TimeOrNull,
  })
  .openapi('ClientGrant');

export const AuditRecord = z
  .object({
    id: z.string(),
    at: Time,
    actor: Actor,
    action: z.string(),
    target: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .openapi('AuditRecord');

const Moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .openapi({ type: 'string', format: 'date-time' });
/** A list of what happened in some days. */
export const TimedQuery = PageQuery.extend({
  from: Moment.optional(),
  to: Moment.optional().openapi({ description: 'Before this moment.' }),
});
export const AuditQuery = TimedQuery.extend({
  action: z
    .string()
    .max(100)
    .refine(isAuditAction, `there are: ${auditNouns.join(', ')}, each alone or with what was done (approval.approved)`)
    .optional()
    .openapi({ description: 'The first words of it, such as effect or approval.' }),
  accountId: z.string().max(100).optional(),
  agentId: z.string().max(100).optional(),
  stepId: z.string().max(100).optional().openapi({ description: 'What runs of this step alone did.' }),
  runId: z.string().max(100).optional(),
  effect: z.enum(['write', 'send', 'destroy']).optional(),
});

const JsonSchema = z.record(z.string(), z.unknown());
export const StepSummary = z
  .object({
    id: z.string(),
    integration: z.string(),
    title: z.string(),
    group: z.string(),
    purpose: z.string(),
    effect: z.enum(['read', 'write', 'send', 'destroy']),
    deprecated: z.string().optional(),
  })
  .openapi('StepSummary');
export const Step = StepSummary.extend({
  scopes: z.array(z.string()).openapi({
    description:
      'What an account must have been granted, as signing in asks for it; a scope that includes it does, too.',
  }),
  input: JsonSchema,
  output: JsonSchema,
}).openapi('Step');
export const StepQuery = WholeQuery.extend({
  query: z.string().max(200).default(''),
  integration: z.string().max(100).optional(),
});
export const Integration = z
  .object({
    name: z.string(),
    title: z.string(),
    purpose: z.string(),
    auth: z.array(
      z.object({
        type: z.string(),
        title: z.string(),
        purpose: z.string(),
        permissionTypes: z.array(z.string()),
        available: z.boolean().openapi({ description: 'Whether the operator has set this way up.' }),
        credential: JsonSchema.optional(),
        guide: z
          .object({
            registerUrl: z.string().openapi({ description: 'Where a key is obtained.' }),
            authorizeUrl: z.string().openapi({ description: 'Where a token is granted, with `key` added to it.' }),
          })
          .optional(),
      }),
    ),
    steps: z.array(StepSummary),
    triggers: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        purpose: z.string(),
        instant: z.boolean().openapi({ description: 'Whether the service notifies us; otherwise we look.' }),
        pollSeconds: z.number().optional(),
        config: JsonSchema,
        event: JsonSchema,
      }),
    ),
  })
  .openapi('Integration');

export const Option = z
  .object({
    value: z.string(),
    label: z.string(),
    hint: z.string().optional(),
    id: z.string().optional().openapi({ description: 'Where the value is a name, such as `inbox`: its id.' }),
  })
  .openapi('Option');
/** As a filter of a list. */
export const OfEndUser = EndUserId.optional().openapi({ description: 'Only those of this end user.' });
const Narrowing = (description: string) => z.string().max(500).optional().openapi({ description });
export const AccountCalled = z
  .string()
  .max(320)
  .openapi({ description: 'An account, by its id, its exact name or its address.' });
/** What narrows a choice is checked by its picker; what is named here is what pickers take. */
export const OptionQuery = z
  .object({
    ...WholeQuery.shape,
    accountId: AccountCalled,
    endUserId: EndUserId.optional(),
    board: Narrowing('Whose entries are listed, where they belong to a board, such as `lists`.'),
    cardId: Narrowing('Whose entries are listed, where they belong to a card: `checklists`.'),
    mailbox: Narrowing(
      'The shared mailbox whose entries are listed, such as `incoming_folders`; the own one if left out.',
    ),
  })
  .catchall(z.string().max(500));

export const StoredFile = z
  .object({
    id: z.string(),
    ref: z.string().openapi({ description: 'The same, as steps take it.' }),
    name: z.string(),
    contentType: z.string(),
    size: z.number(),
  })
  .openapi('StoredFile');
export const FileQuery = z.strictObject({
  name: z
    .string({
      error: ({ input }) => (input === undefined ? 'must be given in the address, as ?name=plan.pdf' : undefined),
    })
    .trim()
    .min(1)
    .max(255),
});
