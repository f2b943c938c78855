import { z } from 'zod';
import { type OAuthAuth, path } from '#kit';

const Me = z.object({
  id: z.string(),
  displayName: z.string().nullish(),
  mail: z.string().nullish(),
  userPrincipalName: z.string(),
});

const standard = [
  'User.Read',
  'Mail.Read',
  'Mail.ReadWrite',
  'Mail.Send',
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'MailboxSettings.Read',
];

export const sharedScopes = [
  'Mail.ReadWrite.Shared',
  'Mail.Send.Shared',
  'Calendars.ReadWrite.Shared',
  'Contacts.ReadWrite.Shared',
];

// A meeting is found by its join address first, then its transcripts.
const meetings = ['OnlineMeetings.Read', 'OnlineMeetingTranscript.Read.All', 'MailboxSettings.Read'];

// Making a label writes to the mailbox's settings, among which are automatic replies too: asked for by those who need it.
const settings = ['MailboxSettings.ReadWrite'];

const openId = ['openid', 'profile', 'email', 'offline_access'];

// Personal accounts all live in one tenant, learn.microsoft.com/entra/identity-platform/id-token-claims-reference.
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';

const canonical = new Map(
  [...standard, ...sharedScopes, ...meetings, ...settings].map((scope) => [scope.toLowerCase(), scope]),
);

export const signIn: OAuthAuth = {
  way: 'oauth2',
  type: 'oauth2',
  title: 'Sign in',
  purpose: 'Sign in at the mail service and grant what the agents may do.',
  always: openId,
  scopes: { standard, shared_mailboxes: sharedScopes, meetings_collaboration: meetings, mailbox_settings: settings },
  workOnly: ['meetings_collaboration'],
  authorizeParameters: { response_mode: 'query', prompt: 'select_account' },
  tokenBody: 'form',
  // Samples show both short names and addresses, in any letter case.
  readScopes: (granted) => {
    const short = granted
      .split(/\s+/)
      .filter(Boolean)
      .map((scope) => scope.replace(/^https:\/\/graph\.microsoft\.com\//i, ''))
      .map((scope) => canonical.get(scope.toLowerCase()) ?? scope);
    return [...new Set(short)].filter((scope) => !openId.includes(scope.toLowerCase()));
  },
  toCredential: (grant) => grant,
  identify: async (upstream) => {
    const query = { $select: 'id,displayName,mail,userPrincipalName' };
    const { id, displayName, mail, userPrincipalName } = Me.parse(await upstream.get(path`/me`, { query }));
    const address = mail ?? userPrincipalName;
    return { id, name: displayName ?? address, address, username: userPrincipalName };
  },
  fromIdToken: ({ tid }) => (typeof tid === 'string' ? { kind: tid === consumerTenant ? 'personal' : 'work' } : {}),
};
