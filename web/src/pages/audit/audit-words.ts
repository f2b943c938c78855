import type { AuditRecord } from '../../../../client/src/index.ts';
import { shortPath } from '../../ui/short-path.ts';

type Details = Record<string, unknown>;
type Sentence = string | ((details: Details) => string);

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const quoted = (value: unknown): string => (text(value) === '' ? '' : ` “${text(value)}”`);
const because = ({ reason }: Details): string => (text(reason) === '' ? '' : `: ${text(reason)}`);
const wire = ({ method, path }: Details): string => `${text(method)} ${shortPath(text(path))}`.trim();

/** What each action means, as the end of a sentence that begins with who did it. */
const sentences: Record<string, Sentence> = {
  'session.started': 'signed in',
  'member.added': ({ email, role }) => `added ${text(email)} as ${text(role)}`,
  'member.removed': ({ email }) => `removed ${text(email)}`,
  'member.role_changed': ({ role }) => `changed a member's role${text(role) === '' ? '' : ` to ${text(role)}`}`,
  'member.sign_in_link_made': 'made a sign-in link for a member',
  'api_key.created': ({ name }) => `made the API key${quoted(name)}`,
  'api_key.revoked': 'revoked an API key',
  'client.allowed': ({ name }) => `let the program${quoted(name)} in over MCP`,
  'client.revoked': (details) => `ended a program's access over MCP${because(details)}`,
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
  'account.disconnected': 'disconnected an account',
  'account.revoked': "ended an account's access at the service",
  'account.not_revoked': "could not end an account's access at the service; end it there",
  'account.registrations_left': ({ failures }) =>
    `could not take back what an account had registered at the service${Array.isArray(failures) ? `: ${failures.map(text).join(' ')}` : ''}`,
  'account.renamed': ({ name }) => `renamed an account to${quoted(name)}`,
  'account.paused': 'paused an account',
  'account.resumed': 'resumed an account',
  'account.needs_reconnect': (details) => `found that an account must be connected again${because(details)}`,
  'account.works_again': 'found that an account works again',
  'secret.created': ({ identity }) => `stored a secret of${quoted(identity)}`,
  'secret.deleted': 'deleted a stored secret',
  'tool.created': ({ name }) => `made the tool${quoted(name)}`,
  'tool.changed': ({ name }) => `changed the tool${quoted(name)}`,
  'tool.deleted': ({ name }) => `deleted the tool${quoted(name)}`,
  'agent.created': ({ name }) => `made the agent${quoted(name)}`,
  'agent.changed': ({ name, state }) => `changed the agent${quoted(name)}${state === 'paused' ? ', now paused' : ''}`,
  'agent.secret_rotated': 'gave an agent a new secret',
  'agent.deleted': ({ name }) => `deleted the agent${quoted(name)}`,
  'trigger.created': ({ name }) => `made the trigger${quoted(name)}`,
  'trigger.changed': ({ name, state }) =>
    `changed the trigger${quoted(name)}${state === 'paused' ? ', now paused' : ''}`,
  'trigger.deleted': ({ name }) => `deleted the trigger${quoted(name)}`,
  'run.cancelled': 'cancelled a run',
  'approval.approved': 'approved a send',
  'approval.rejected': (details) => `rejected a send${because(details)}`,
  'approval.edited': ({ fields }) =>
    `changed what would be sent${Array.isArray(fields) ? `: ${fields.map(text).join(', ')}` : ''}`,
  'approval.asked_again': (details) => `asked again about what was approved${because(details)}`,
  'approval.expired': 'let an approval expire: nobody decided in time',
  'approval.void': (details) => `ended an approval without a decision${because(details)}`,
  'effect.sent': (details) => `wrote to the service: ${wire(details)}`,
  'effect.not_sent': (details) => `did not get through to the service: ${wire(details)}`,
  'effect.unknown': (details) => `may have written to the service: ${wire(details)}`,
  'webhook.created': ({ url }) => `made a webhook${text(url) === '' ? '' : ` to ${text(url)}`}`,
  'webhook.changed': 'changed a webhook',
  'webhook.deleted': 'deleted a webhook',
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
