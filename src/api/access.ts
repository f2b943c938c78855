import type { Door } from '#workspaces';

/**
 * Every door of the API: who among the members may enter, and which scope a key needs. Checks, OpenAPI and tests read
 * this table. `null` is open to all. A door without a scope is for people only; one with `runKey` is open to the agent of a
 * run, for what belongs to that run.
 */
export const access = {
  'POST /v1/session': null,
  'GET /v1/session': { role: 'viewer' },
  'PATCH /v1/session': { role: 'viewer' },
  'DELETE /v1/session': { role: 'viewer' },
  'PUT /v1/session/password': { role: 'viewer' },

  'GET /v1/workspaces': { role: 'viewer', scope: 'read' },
  'POST /v1/workspaces': { role: 'owner' },
  'DELETE /v1/workspaces/{id}': { role: 'owner' },
  'GET /v1/workspace': { role: 'viewer', scope: 'read' },
  'PATCH /v1/workspace': { role: 'owner', scope: 'admin' },
  'POST /v1/stop': { role: 'owner', scope: 'admin' },
  'POST /v1/resume': { role: 'owner', scope: 'admin' },

  'GET /v1/members': { role: 'viewer', scope: 'read' },
  'POST /v1/members': { role: 'owner', scope: 'admin' },
  'PATCH /v1/members/{id}': { role: 'owner', scope: 'admin' },
  'DELETE /v1/members/{id}': { role: 'owner', scope: 'admin' },
  // A link makes a person of its holder, and people decide approvals: a key must hold that right itself.
  'POST /v1/members/{id}/sign-in-link': { role: 'owner', scope: 'admin', also: 'approvals:decide' },

  'GET /v1/api-keys': { role: 'owner', scope: 'admin' },
  'POST /v1/api-keys': { role: 'owner', scope: 'admin' },
  'DELETE /v1/api-keys/{id}': { role: 'owner', scope: 'admin' },

  'GET /v1/clients': { role: 'owner', scope: 'admin' },
  'DELETE /v1/clients/{id}': { role: 'owner', scope: 'admin' },

  'GET /v1/audit': { role: 'viewer', scope: 'read' },

  'GET /v1/integrations': { role: 'viewer', scope: 'read' },
  'GET /v1/steps': { role: 'viewer', scope: 'read' },
  'GET /v1/steps/{id}': { role: 'viewer', scope: 'read' },
  'POST /v1/steps/{id}/run': { role: 'builder', scope: 'run' },

  'GET /v1/options/{id}': { role: 'builder', scope: 'read' },
  'POST /v1/files': { role: 'builder', scope: 'run' },
  'GET /v1/files/{id}': { role: 'viewer', scope: 'read' },

  'GET /v1/accounts': { role: 'viewer', scope: 'read' },
  'POST /v1/accounts': { role: 'builder', scope: 'connect' },
  'GET /v1/accounts/{id}': { role: 'viewer', scope: 'read' },
  'PATCH /v1/accounts/{id}': { role: 'builder', scope: 'connect' },
  'DELETE /v1/accounts/{id}': { role: 'builder', scope: 'connect' },
  'POST /v1/accounts/{id}/test': { role: 'builder', scope: 'connect' },

  'POST /v1/connect': { role: 'builder', scope: 'connect' },

  'GET /v1/secrets': { role: 'viewer', scope: 'read' },
  'POST /v1/secrets': { role: 'builder', scope: 'connect' },
  'DELETE /v1/secrets/{id}': { role: 'builder', scope: 'connect' },

  'GET /v1/sandbox': { role: 'viewer', scope: 'read' },
  'GET /v1/sandbox/faults': { role: 'builder', scope: 'build' },
  'POST /v1/sandbox/faults': { role: 'builder', scope: 'build' },
  'POST /v1/sandbox/mail': { role: 'builder', scope: 'build' },
  'GET /v1/sandbox/outbox': { role: 'builder', scope: 'build' },

  'GET /v1/settings': { role: 'viewer', scope: 'read' },
  'PATCH /v1/settings': { role: 'owner', scope: 'admin' },

  'GET /v1/overview': { role: 'viewer', scope: 'read' },
  'GET /v1/overview/agents': { role: 'viewer', scope: 'read' },
  'GET /v1/overview/waiting': { role: 'viewer', scope: 'read' },
  'GET /v1/names': { role: 'viewer', scope: 'read' },
  'GET /v1/stream': { role: 'viewer', scope: 'read' },

  'GET /v1/approvals': { role: 'viewer', scope: 'read' },
  'GET /v1/approvals/{id}': { role: 'viewer', scope: 'read', runKey: true },
  'GET /v1/approvals/{id}/attachments/{place}': { role: 'viewer', scope: 'read' },
  'POST /v1/approvals/{id}/approve': { role: 'approver', scope: 'approvals:decide' },
  'POST /v1/approvals/{id}/reject': { role: 'approver', scope: 'approvals:decide' },
  'POST /v1/approvals/{id}/edit': { role: 'approver', scope: 'approvals:decide' },

  'GET /v1/webhooks': { role: 'owner', scope: 'admin' },
  'POST /v1/webhooks': { role: 'owner', scope: 'admin' },
  'GET /v1/webhooks/{id}': { role: 'owner', scope: 'admin' },
  'PATCH /v1/webhooks/{id}': { role: 'owner', scope: 'admin' },
  'DELETE /v1/webhooks/{id}': { role: 'owner', scope: 'admin' },
  'POST /v1/webhooks/{id}/rotate': { role: 'owner', scope: 'admin' },
  'POST /v1/webhooks/{id}/test': { role: 'owner', scope: 'admin' },
  'GET /v1/webhooks/{id}/deliveries': { role: 'owner', scope: 'admin' },
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend': { role: 'owner', scope: 'admin' },

  'GET /v1/triggers': { role: 'viewer', scope: 'read' },
  'POST /v1/triggers': { role: 'builder', scope: 'build' },
  'POST /v1/triggers/preview': { role: 'builder', scope: 'build' },
  'GET /v1/triggers/{id}': { role: 'viewer', scope: 'read' },
  'PATCH /v1/triggers/{id}': { role: 'builder', scope: 'build' },
  'DELETE /v1/triggers/{id}': { role: 'builder', scope: 'build' },
  'POST /v1/triggers/{id}/test': { role: 'builder', scope: 'run' },
  'GET /v1/triggers/{id}/diagnosis': { role: 'viewer', scope: 'read' },

  'GET /v1/events': { role: 'viewer', scope: 'read' },
  'GET /v1/events/{id}': { role: 'viewer', scope: 'read' },
  'POST /v1/events/{id}/replay': { role: 'builder', scope: 'run' },

  'GET /v1/tools': { role: 'viewer', scope: 'read' },
  'POST /v1/tools': { role: 'builder', scope: 'build' },
  'POST /v1/tools/check': { role: 'builder', scope: 'build' },
  'GET /v1/tools/{id}': { role: 'viewer', scope: 'read' },
  'GET /v1/tools/{id}/agents': { role: 'viewer', scope: 'read' },
  'PATCH /v1/tools/{id}': { role: 'builder', scope: 'build' },
  'DELETE /v1/tools/{id}': { role: 'builder', scope: 'build' },
  'POST /v1/tools/{id}/run': { role: 'builder', scope: 'run', runKey: true },

  'GET /v1/agents': { role: 'viewer', scope: 'read' },
  'POST /v1/agents': { role: 'builder', scope: 'build' },
  'GET /v1/agents/{id}': { role: 'viewer', scope: 'read' },
  'PATCH /v1/agents/{id}': { role: 'builder', scope: 'build' },
  'DELETE /v1/agents/{id}': { role: 'builder', scope: 'build' },
  'POST /v1/agents/{id}/rotate': { role: 'builder', scope: 'build' },
  'POST /v1/agents/{id}/runs': { role: 'builder', scope: 'run' },

  'GET /v1/runs': { role: 'viewer', scope: 'read' },
  'GET /v1/runs/{id}': { role: 'viewer', scope: 'read', runKey: true },
  'GET /v1/runs/{id}/stream': { role: 'viewer', scope: 'read' },
  'POST /v1/runs/{id}/cancel': { role: 'builder', scope: 'run' },
  'POST /v1/runs/{id}/retry': { role: 'builder', scope: 'run' },
  'POST /v1/runs/{id}/finish': { runKey: true },
} as const satisfies Record<string, Door | null>;

export type DoorName = keyof typeof access;
