import type { AuditRecord } from '../../../../client/src/index.ts';
import { shortPath } from '../../ui/short-path.ts';

type Details = Record<string, unknown>;
type Sentence = string | ((details: Details) => string);

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const quoted = (value: unknown): string => (text(value) === '' ? '' : ` “${text(value)}”`);
const because = ({ reason }: Details): string => (text(reason) === '' ? '' : `: ${text(reason)}`);
const wire = ({ method, path }: Details): string => `${text(method)} ${shortPath(text(path))}`.trim();
const hostIn = ({ host }: Details): string => (text(host) === '' ? '' : ` to ${text(host)}`);
const fieldsIn = ({ fields }: Details): string => (Array.isArray(fields) ? `: ${fields.map(text).join(', ')}` : '');
const nowIn = ({ state }: Details): string => (text(state) === '' ? '' : `, now ${text(state)}`);
const programIn = ({ client }: Details): string =>
  text(client) === '' ? "a program's" : `the program${quoted(client)}'s`;

/** What each action means, as the end of a sentence that begins with who did it. */
const sentences: Record<string, Sentence> = {
  'session.started': 'signed in',
  'member.added': ({ email, role }) => `added ${text(email)} as ${text(role)}`,
  'member.removed': ({ email }) => `removed ${text(email)}`,
  'member.role_changed': ({ from, to }) => `changed a member's role from ${text(from)} to ${text(to)}`,
  'member.sign_in_link_made': 'made a sign-in link for a member',
  'api_key.created': ({ name }) => `made the API key${quoted(name)}`,
  'api_key.revoked': ({ name }) => `revoked ${text(name) === '' ? 'an API key' : `the API key${quoted(name)}`}`,
  'client.allowed': ({ client }) => `let the program${quoted(client)} in over MCP`,
  'client.revoked': (details) => `ended ${programIn(details)} access over MCP${because(details)}`,
  'workspace.created': 'made this workspace',
  'workspace.renamed': ({ name }) => `renamed the workspace to${quoted(name)}`,
  'workspace.stopped': 'pressed the emergency stop: nothing is sent or started',
  'workspace.resumed': 'ended the emergency stop',
  'settings.changed': (details) =>
    `changed the settings: ${Object.keys(details)
      .map((name) => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase())
      .join(', ')}`,
  'account.connected': ({ identity }) => `connected the account${quoted(identity)}`,
  'account.reconnected': ({ identity }) => `connected the account${quoted(identity)} again`,
  'account.disconnected': ({ name }) =>
    `disconnected ${text(name) === '' ? 'an account' : `the account${quoted(name)}`}`,
  'account.revoked': "ended an account's access at the service",
  'account.not_revoked': ({ reason }) =>
    reason === 'in_use_elsewhere'
      ? "left an account's access at the service, which may be used elsewhere"
      : "could not end an account's access at the service; end it there",
  'account.registrations_left': ({ failures }) =>
    `could not take back what an account had registered at the service${Array.isArray(failures) ? `: ${failures.map(text).join(' ')}` : ''}`,
  'account.renamed': ({ name }) => `renamed an account to${quoted(name)}`,
  'account.paused': 'paused an account',
  'account.resumed': 'resumed an account',
  'account.needs_reconnect': (details) => `found that an account must be connected again${because(details)}`,
  'account.works_again': 'found that an account works again',
  'secret.created': ({ identity }) => `stored a secret of${quoted(identity)}`,
  'secret.deleted': ({ name }) =>
    `deleted ${text(name) === '' ? 'a stored secret' : `the stored secret${quoted(name)}`}`,
  'tool.created': ({ name }) => `made the tool${quoted(name)}`,
  'tool.changed': ({ name }) => `changed the tool${quoted(name)}`,
  'tool.deleted': ({ name }) => `deleted the tool${quoted(name)}`,
  'agent.created': ({ name }) => `made the agent${quoted(name)}`,
  'agent.changed': ({ name, state }) => `changed the agent${quoted(name)}${state === 'paused' ? ', now paused' : ''}`,
  'agent.secret_rotated': 'gave an agent a new secret',
  'agent.deleted': ({ name }) => `deleted the agent${quoted(name)}`,
  'trigger.created': ({ name }) => `made the trigger${quoted(name)}`,
  'trigger.changed': (details) => `changed the trigger${quoted(details['name'])}${fieldsIn(details)}${nowIn(details)}`,
  'trigger.deleted': ({ name }) => `deleted the trigger${quoted(name)}`,
  'run.cancelled': 'cancelled a run',
  'approval.approved': 'approved what waited for it',
  'approval.rejected': (details) => `rejected what waited for approval${because(details)}`,
  'approval.edited': (details) => `changed what would be sent${fieldsIn(details)}`,
  'approval.asked_again': (details) => `asked again about what was approved${because(details)}`,
  'approval.expired': 'let an approval expire: nobody decided in time',
  // Also one that was given already, and cannot be carried out.
  'approval.void': (details) => `made an approval void${because(details)}`,
  'effect.sent': (details) => `wrote to the service: ${wire(details)}`,
  'effect.not_sent': (details) => `did not get through to the service: ${wire(details)}`,
  'effect.unknown': (details) => `may have written to the service: ${wire(details)}`,
  'webhook.created': (details) => `made a webhook${hostIn(details)}`,
  'webhook.changed': (details) => `changed a webhook${hostIn(details)}${nowIn(details)}`,
  'webhook.deleted': (details) => `deleted a webhook${hostIn(details)}`,
  'webhook.paused': (details) => `paused a webhook${because(details)}`,
  'webhook.secret_rotated': 'gave a webhook a new secret',
};

/** The end of the sentence "Ada …". An action without words of its own is told by its name. */
export const sentenceOf = ({ action, details }: AuditRecord): string => {
  const known = sentences[action];
  if (known === undefined) return action.replaceAll(/[._]/g, ' ');
  return typeof known === 'string' ? known : known(details);
};

type Names = ReadonlyMap<string, string>;

const wordsOf = (record: AuditRecord, names: Names): string => {
  const { actor, target, details } = record;
  const name = names.get(target ?? '') ?? '';
  return `${actor.name} ${sentenceOf(record)} ${name} ${target} ${JSON.stringify(details)}`.toLowerCase();
};

type Matches = { of: string; names: Names; records: readonly AuditRecord[] };
const found = new WeakMap<readonly AuditRecord[], Matches>();

/** Those of one answer that are looked for: the same array while nothing changes, so that nothing is drawn again. */
export const matching = (
  records: readonly AuditRecord[],
  { wanted, names }: { wanted: string; names: Names },
): readonly AuditRecord[] => {
  if (wanted === '') return records;
  const known = found.get(records);
  if (known?.of === wanted && known.names === names) return known.records;
  const matches = records.filter((record) => wordsOf(record, names).includes(wanted));
  found.set(records, { of: wanted, names, records: matches });
  return matches;
};

/** The kinds that can be looked for, by how their actions begin. */
export const kinds: readonly [string, string][] = [
  ['effect.', 'Writes to services'],
  ['approval.', 'Decisions'],
  ['account.', 'Accounts'],
  ['secret.', 'Secrets'],
  ['tool.', 'Tools'],
  ['agent.', 'Agents'],
  ['trigger.', 'Triggers'],
  ['run.', 'Runs that were cancelled'],
  ['member.', 'Members'],
  ['session.', 'Sign-ins'],
  ['api_key.', 'API keys'],
  ['client.', 'Programs over MCP'],
  ['webhook.', 'Webhooks'],
  ['settings.', 'Settings'],
  ['workspace.', 'Workspace'],
];

const places: Record<string, { at: string; isNamed: boolean }> = {
  apr: { at: '/approvals', isNamed: false },
  run: { at: '/runs', isNamed: false },
  tool: { at: '/tools', isNamed: true },
  agt: { at: '/agents', isNamed: true },
  trg: { at: '/triggers', isNamed: true },
};

/** Where a target can be looked at, by how its id begins; what has a name, only while it is there. */
export const placeOf = (target: string): { to: string; isNamed: boolean } | undefined => {
  const place = places[target.split('_')[0] ?? ''];
  return place === undefined ? undefined : { to: `${place.at}/${target}`, isNamed: place.isNamed };
};
