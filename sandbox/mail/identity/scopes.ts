/** A permission the identity platform knows, with what the consent page says about it. */
type ScopeInfo = { name: string; label: string; detail: string; adminOnly?: true; workOnly?: true };

const info = (name: string, label: string, detail: string, more: { adminOnly?: true; workOnly?: true } = {}) => ({
  name,
  label,
  detail,
  ...more,
});

const catalogue: ScopeInfo[] = [
  info('openid', 'Sign you in', 'Lets you sign in to the app with your account.'),
  info('profile', 'View your basic profile', 'Lets the app see your name and user name.'),
  info('email', 'View your email address', 'Lets the app read your primary email address.'),
  info(
    'offline_access',
    'Maintain access to data you have given it access to',
    'Even while you are not using the app.',
  ),
  info('User.Read', 'Sign you in and read your profile', 'Lets the app read your profile and that of your company.'),
  info('User.ReadBasic.All', "Read all users' basic profiles", 'Names and mail addresses of people.', {
    workOnly: true,
  }),
  info('Mail.ReadBasic', 'Read basic mail', 'Reads your mail without bodies, previews and attachments.'),
  info('Mail.ReadBasic.Shared', 'Read basic mail you can access', 'Includes mailboxes shared with you.'),
  info('Mail.Read', 'Read your mail', 'Reads email in your mailbox.'),
  info('Mail.Read.Shared', 'Read mail you can access', 'Includes mailboxes shared with you.'),
  info('Mail.ReadWrite', 'Read and write access to your mail', 'Creates, reads, changes and deletes your mail.'),
  info('Mail.ReadWrite.Shared', 'Read and write mail you can access', 'Includes mailboxes shared with you.'),
  info('Mail.Send', 'Send mail as you', 'Sends mail in your name.'),
  info('Mail.Send.Shared', 'Send mail on behalf of others or yourself', 'Includes mailboxes shared with you.'),
  info('Calendars.ReadBasic', 'Read basic details of your calendars', 'Without bodies and attachments of events.'),
  info('Calendars.Read', 'Read your calendars', 'Reads events in your calendars.'),
  info('Calendars.Read.Shared', 'Read calendars you can access', 'Includes calendars shared with you.'),
  info('Calendars.ReadWrite', 'Have full access to your calendars', 'Creates, reads, changes and deletes events.'),
  info('Calendars.ReadWrite.Shared', 'Read and write calendars you can access', 'Includes calendars shared with you.'),
  info('Contacts.Read', 'Read your contacts', 'Reads the people in your contacts.'),
  info('Contacts.Read.Shared', 'Read contacts you can access', 'Includes contacts shared with you.'),
  info('Contacts.ReadWrite', 'Have full access to your contacts', 'Creates, reads, changes and deletes contacts.'),
  info('Contacts.ReadWrite.Shared', 'Read and write contacts you can access', 'Includes contacts shared with you.'),
  info('MailboxSettings.Read', 'Read your mailbox settings', 'Time zone, automatic replies, categories.'),
  info(
    'MailboxSettings.ReadWrite',
    'Read and write your mailbox settings',
    'Time zone, automatic replies, categories.',
  ),
  info('OnlineMeetings.Read', 'Read your online meetings', 'Details of meetings you take part in.', {
    workOnly: true,
  }),
  info('OnlineMeetingTranscript.Read.All', 'Read all transcripts of online meetings', 'Every word said in them.', {
    workOnly: true,
    adminOnly: true,
  }),
];

const byName = new Map(catalogue.map((scope) => [scope.name.toLowerCase(), scope]));
export const graphResource = 'https://graph.microsoft.com/';

/** `https://graph.microsoft.com/Mail.Read` and `mail.read` are one scope: lower case, no resource. */
export const shortScope = (scope: string): string => {
  const lower = scope.toLowerCase();
  return lower.startsWith(graphResource) ? lower.slice(graphResource.length) : lower;
};

export const scopeInfo = (scope: string): ScopeInfo | undefined => byName.get(shortScope(scope));

/** Short lower-case scopes in the order given, each once. */
export const parseScopes = (text: string): string[] => [...new Set(text.split(/\s+/).filter(Boolean).map(shortScope))];

/** The four of OpenID Connect belong to no resource and need no consent of their own. */
export const openIdScopes: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

/** As the token answer names them: canonical letters, `offline_access` left out. */
export const namedScopes = (scopes: Iterable<string>): string =>
  [...scopes]
    .filter((scope) => scope !== 'offline_access')
    .map((scope) => byName.get(scope)?.name ?? scope)
    .join(' ');

/** What `tokenFor` grants unless told otherwise: everything a person may consent to alone. */
export const everydayScopes: readonly string[] = catalogue
  .filter((scope) => scope.adminOnly === undefined && scope.workOnly === undefined)
  .map((scope) => scope.name.toLowerCase());
