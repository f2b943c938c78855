import type { Role, Webhook } from '../../../../client/src/index.ts';

/** Each role includes the ones before it. */
export const roles: readonly [Role, string][] = [
  ['viewer', 'looks at everything'],
  ['approver', 'also decides what may be sent'],
  ['builder', 'also connects accounts and makes tools, agents and triggers'],
  ['owner', 'everything: members, keys, settings, emergency stop'],
];

export const noticeTypes: readonly [Webhook['events'][number], string][] = [
  ['approval.requested', 'Something waits for a decision'],
  ['run.finished', 'A run has ended'],
  ['event.fired', 'An event started an agent'],
  ['account.needs_reconnect', 'An account must be connected again'],
  ['trigger.broken', 'A trigger cannot watch any more'],
];
