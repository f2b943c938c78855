import { expect, test } from 'vitest';
import { sentenceOf } from './audit-words.ts';

test.each([
  ['member.role_changed', { from: 'viewer', to: 'owner' }, "changed a member's role from viewer to owner"],
  ['client.allowed', { client: 'Desk', scopes: ['run'] }, 'let the program “Desk” in over MCP'],
  ['client.revoked', { client: 'Desk' }, "ended the program “Desk”'s access over MCP"],
  [
    'client.revoked',
    { reason: 'Its token was used twice.' },
    "ended a program's access over MCP: Its token was used twice.",
  ],
  ['webhook.created', { host: 'example.com', events: ['run.finished'] }, 'made a webhook to example.com'],
  ['webhook.changed', { host: 'example.org', state: 'paused' }, 'changed a webhook to example.org, now paused'],
  ['webhook.deleted', { host: 'example.com' }, 'deleted a webhook to example.com'],
  ['api_key.revoked', { name: 'Desk' }, 'revoked the API key “Desk”'],
  ['account.disconnected', { integration: 'mail', name: 'Sales' }, 'disconnected the account “Sales”'],
  ['account.disconnected', {}, 'disconnected an account'],
  ['account.not_revoked', { reason: 'failed' }, "could not end an account's access at the service; end it there"],
  [
    'account.not_revoked',
    { reason: 'in_use_elsewhere' },
    "left an account's access at the service, which may be used elsewhere",
  ],
  ['approval.void', { reason: 'The run was cancelled.' }, 'made an approval void: The run was cancelled.'],
  ['approval.edited', { fields: ['body', 'to'] }, 'changed what would be sent: body, to'],
  ['trigger.changed', { name: 'Orders', fields: ['searchFilter'] }, 'changed the trigger “Orders”: searchFilter'],
  ['trigger.changed', { name: 'Orders', state: 'enabled', catchUp: true }, 'changed the trigger “Orders”, now enabled'],
])('a record of %s with %j is told as it is', (action, details, sentence) => {
  const actor = { kind: 'member' as const, id: 'per_1', name: 'Ada' };
  expect(sentenceOf({ id: 'aud_1', at: '', actor, action, target: null, details })).toBe(sentence);
});
