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

export const signIn: OAuthAuth = {
  way: 'oauth2',
  type: 'oauth2',
  title: 'Sign in',
  purpose: 'Sign in at the mail service and grant what the agents may do.',
  always: ['openid', 'profile', 'email', 'offline_access'],
  scopes: { standard },
  authorizeParameters: {},
  tokenBody: 'form',
  readScopes: (granted) => granted.split(' ').map((scope) => scope.replace(/^https:\/\/graph\.microsoft\.com\//i, '')),
  toCredential: (grant) => grant,
  identify: async (upstream) => {
    const { id, displayName, mail, userPrincipalName } = Me.parse(await upstream.get(path`/me`));
    const address = mail ?? userPrincipalName;
    return { id, name: displayName ?? address, address, username: userPrincipalName };
  },
};
