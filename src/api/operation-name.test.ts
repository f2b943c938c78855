import { expect, test } from 'vitest';
import { access } from './access.ts';
import { operationName } from './operation-name.ts';

test('operations are called by what they do', () => {
  const listed = ['/v1/accounts', '/v1/tools/{id}/agents', '/v1/webhooks/{id}/deliveries', '/v1/audit'];
  expect(listed.map((path) => operationName(`GET ${path}`, true))).toEqual([
    'listAccounts',
    'listToolAgents',
    'listWebhookDeliveries',
    'listAudit',
  ]);
  const named = {
    'GET /v1/accounts/{id}': 'getAccount',
    'GET /v1/settings': 'getSettings',
    'GET /v1/runs/{id}/stream': 'getRunStream',
    'POST /v1/api-keys': 'createApiKey',
    'POST /v1/members/{id}/sign-in-link': 'createMemberSignInLink',
    'POST /v1/agents/{id}/runs': 'createAgentRun',
    'POST /v1/steps/{id}/run': 'runStep',
    'POST /v1/tools/check': 'checkTool',
    'POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend': 'resendWebhookDelivery',
    'POST /v1/stop': 'stop',
    'PATCH /v1/settings': 'updateSettings',
    'PUT /v1/session/password': 'replaceSessionPassword',
    'DELETE /v1/accounts/{id}': 'deleteAccount',
  };
  expect(Object.keys(named).map((door) => operationName(door, false))).toEqual(Object.values(named));
});

test('no two operations share a name, and every program can write it', () => {
  const names = Object.keys(access).map((door) => operationName(door, false));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names.filter((name) => !/^[a-z][A-Za-z]{2,40}$/.test(name))).toEqual([]);
});
