/** Every action that is recorded, noun and verb. */
export const auditActions = [
  'account.connected',
  'account.disconnected',
  'account.needs_reconnect',
  'account.not_revoked',
  'account.paused',
  'account.reconnected',
  'account.registrations_left',
  'account.renamed',
  'account.resumed',
  'account.revoked',
  'account.works_again',
  'agent.changed',
  'agent.created',
  'agent.deleted',
  'agent.secret_rotated',
  'api_key.created',
  'api_key.revoked',
  'approval.approved',
  'approval.asked_again',
  'approval.edited',
  'approval.expired',
  'approval.rejected',
  'approval.void',
  'client.allowed',
  'client.revoked',
  'effect.not_sent',
  'effect.sent',
  'effect.unknown',
  'member.added',
  'member.removed',
  'member.role_changed',
  'member.sign_in_link_made',
  'run.cancelled',
  'secret.created',
  'secret.deleted',
  'session.started',
  'settings.changed',
  'tool.changed',
  'tool.created',
  'tool.deleted',
  'trigger.changed',
  'trigger.created',
  'trigger.deleted',
  'webhook.changed',
  'webhook.created',
  'webhook.deleted',
  'webhook.paused',
  'webhook.secret_rotated',
  'workspace.created',
  'workspace.renamed',
  'workspace.resumed',
  'workspace.stopped',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Whether actions begin with these words: `effect`, `approval.approved`. */
export const isAuditAction = (words: string): boolean =>
  auditActions.some((action) => `${action}.`.startsWith(`${words}.`));

/** What actions are about: the first word of each. */
export const auditNouns: readonly string[] = [
  ...new Set(auditActions.map((action) => action.slice(0, action.indexOf('.')))),
];
