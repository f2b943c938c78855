import type { PermissionType, Scope } from '../../../../client/src/index.ts';

type Words = { title: string; about: string };

/** What people grant together, in words. */
const permissionTypes: Record<PermissionType, Words> = {
  standard: {
    title: 'Standard',
    about: 'Read and write mail, send, calendars, contacts, and read mailbox settings.',
  },
  shared_mailboxes: {
    title: 'Shared mailboxes',
    about: 'Mailboxes and calendars that others share with this account.',
  },
  meetings_collaboration: {
    title: 'Meetings collaboration',
    about: 'Online meetings and their transcripts. For work accounts.',
  },
  mailbox_settings: { title: 'Mailbox settings', about: 'Change mailbox settings, which making a label needs.' },
};

const boardStandard: Words = { title: 'Standard', about: 'Read and write boards, lists and cards.' };

export const permissionWords = (integration: string, type: string): Words => {
  if (integration === 'board' && type === 'standard') return boardStandard;
  return permissionTypes[type as PermissionType] ?? { title: type.replaceAll('_', ' '), about: '' };
};

/** How an account came to be connected. */
export const methodWords: Record<string, string> = {
  oauth2: 'Signed in',
  authorize: 'Access allowed',
  key_token: 'API key + token',
};

/** What a key may do, in words; the order in which they are offered. */
export const scopes: readonly [Scope, string][] = [
  ['read', 'Look at accounts, tools, agents, events and runs'],
  ['run', 'Run steps and tools, start agents by hand'],
  ['build', 'Make and change tools, agents and triggers'],
  ['connect', 'Connect, pause and disconnect accounts'],
  ['approvals:decide', 'Decide approvals in place of a person'],
  ['sends:autopilot', 'Send without asking, where a call says so'],
  ['admin', 'Everything above but deciding and sending unasked; also members, keys, settings and webhooks'],
];

/** How connecting ended without an account: what happened, and what to do. */
export const problems: Record<string, string> = {
  closed: 'The sign-in window was closed before access was granted, so nothing was connected.',
  denied: 'Access was not allowed, so nothing was connected. You can try again at any time.',
  expired: 'The sign-in took too long or its link was used before, so nothing was connected. Start again.',
  other_browser: 'The link was opened in another browser first, so nothing was connected here. Start again.',
  admin_consent:
    'Your organisation wants an administrator to allow this first. Ask them to approve Switchboard, then try again.',
  personal_account:
    'Meeting transcripts exist for work accounts only, so the service refused. Try again without that permission.',
  wrong_person:
    'Somebody else signed in than the person this account belongs to, so nothing was changed. Try again as that person, or add the other one as an account of its own.',
  unavailable: 'The service cannot be reached now, so nothing was connected. Try again in a moment.',
  refused:
    'The service did not accept the sign-in, so nothing was connected. Try again; if it stays so, tell the operator of this Switchboard.',
};
