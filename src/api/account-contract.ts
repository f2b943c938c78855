import { z } from '@hono/zod-openapi';
import { Name, NamedQuery, NewConnect, OfEndUser, PermissionTypeName } from './contract.ts';
import { Time } from './time.ts';

export const Account = z
  .object({
    id: z.string(),
    integration: z.string(),
    name: z.string(),
    identity: z.object({
      id: z.string(),
      name: z.string(),
      address: z.string().optional(),
      username: z.string().optional(),
      kind: z.enum(['work', 'personal']).optional(),
    }),
    state: z.enum(['connected', 'needs_reconnect', 'paused', 'disconnected']),
    reason: z.string().optional(),
    authMethod: z.string(),
    permissionTypes: z.array(z.string()),
    scopes: z.array(z.string()),
    endUserId: z.string().optional(),
    createdAt: Time,
  })
  .openapi('Account');
export const ConnectLink = z.object({ url: z.string(), expiresAt: Time }).openapi('ConnectLink');
export const AccountChoice = Account.extend({
  step: z
    .object({
      ready: z.boolean(),
      missingScopes: z.array(z.string()),
      connect: NewConnect.optional(),
    })
    .optional()
    .openapi({ description: 'With ?step=: whether this account can run that step.' }),
}).openapi('AccountChoice');
const whichWay = 'must be given: a way to connect, as GET /v1/integrations tells of each';
export const NewAccount = z.strictObject({
  integration: z.string().max(100),
  auth: z
    .looseObject({ type: z.string({ error: ({ input }) => (input === undefined ? whichWay : undefined) }).max(100) })
    .openapi({ description: 'See the integration for the fields.' }),
  name: Name.optional(),
});
export const AccountChange = z
  .strictObject({
    name: Name.optional(),
    state: z.enum(['connected', 'paused']).optional(),
    paused: z
      .boolean()
      .optional()
      .openapi({ description: '`true` is `state: paused`, `false` is `state: connected`.' }),
  })
  .refine((change) => Object.values(change).some((each) => each !== undefined), 'name or state must be given')
  .refine(
    ({ state, paused }) => state === undefined || paused === undefined || (state === 'paused') === paused,
    'state and paused contradict each other',
  );
export const AccountQuery = NamedQuery.extend({
  endUserId: OfEndUser,
  integration: z.string().max(100).optional(),
  permissionType: PermissionTypeName.optional(),
  state: z.enum(['connected', 'needs_reconnect', 'paused']).optional(),
  step: z.string().max(100).optional(),
  query: NamedQuery.shape.query.openapi({ description: 'A part of the name, the address or the user name.' }),
});
export const Secret = z
  .object({
    id: z.string(),
    integration: z.string(),
    name: z.string(),
    identity: Account.shape.identity,
    createdAt: Time,
  })
  .openapi('Secret');
export const AccountTest = z
  .object({ works: z.boolean(), account: Account, reason: z.string().optional() })
  .openapi('AccountTest');
