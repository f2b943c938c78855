import { pagesApp, seededApps, seededClients } from './credentials.ts';
import type { Actor, App, Board, Label, List, Member } from './model.ts';
import { addMemberToBoard, createBoard, createLabel, createList, newMembership } from './operations/boards.ts';
import { addAttachment, commentOnCard } from './operations/card-parts.ts';
import { createCard, updateCard } from './operations/cards.ts';
import { addCheckItem, addChecklist } from './operations/checklists.ts';
import { record } from './operations/record.ts';
import { grantToken } from './operations/tokens.ts';
import { launchCards } from './seed-cards.ts';
import type { World } from './world.ts';

/** Ids and dates of the seeded world start here, so that every reset gives the same ones. */
const beginning = Date.parse('2026-11-02T09:00:00.000Z');
const day = 86_400_000;

const hash = (text: string): string => {
  let state = 7;
  let hex = '';
  for (let round = 0; hex.length < 32; round++) {
    for (const letter of `${text}${round}`) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    hex += state.toString(16).padStart(8, '0');
  }
  return hex;
};

export const newMember = (world: World, username: string, fullName: string, email: string): Member => {
  const initials = fullName
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
  const member: Member = {
    id: world.id(),
    username,
    fullName,
    initials,
    email,
    bio: '',
    avatarHash: hash(username),
    locale: 'en-GB',
    colorBlind: false,
    minutesBetweenSummaries: 60,
    idBoards: [],
    idOrganizations: [],
  };
  world.addMember(member);
  return member;
};

export const newApp = (world: World, app: Omit<App, 'allowedOrigins'>): App => {
  const stored = { ...app, allowedOrigins: [] };
  world.apps.set(stored.key, stored);
  return stored;
};

const giveCredentials = (world: World, member: Member): void => {
  const constant = seededApps[member.username];
  if (!constant) return;
  const app = newApp(world, { ...constant, idMember: member.id });
  const scopes = ['read', 'write', 'account'];
  grantToken(world, app, member, { scopes, expiration: 'never', name: app.name, value: constant.token });
};

const newWorkspace = (world: World, actor: Actor, others: Member[]) => {
  const organization = {
    id: world.id(),
    name: 'analyticalengines',
    displayName: 'Analytical Engines',
    desc: 'Everything around the launch.',
    website: null,
    dateLastActivity: world.date(),
    idMemberCreator: actor.member.id,
    prefs: { permissionLevel: 'private', boardVisibilityRestrict: { private: 'org', org: 'org', public: 'org' } },
    memberships: [newMembership(world, actor.member, 'admin')],
    idBoards: [],
  };
  world.organizations.set(organization.id, organization);
  for (const member of others) organization.memberships.push(newMembership(world, member, 'normal'));
  for (const member of [actor.member, ...others]) member.idOrganizations.push(organization.id);
  const { id, name } = organization;
  record(world, actor, 'createOrganization', { idOrganization: id }, { organization: { id, name } });
  return organization;
};

const labels: readonly [name: string, color: string][] = [
  ['Urgent', 'red'],
  ['Design', 'purple'],
  ['Copy', 'sky'],
  ['Engineering', 'green'],
];

/** The world people find after a reset: two members, a workspace, the board Launch. */
export const seed = (world: World): void => {
  const today = Math.floor(world.clock.now() / day) * day;
  world.clear();
  world.seedTime = beginning;
  const tick = (): void => {
    world.seedTime = (world.seedTime ?? beginning) + 37 * 60_000;
  };
  const ada = newMember(world, 'ada', 'Ada Marsh', 'ada@sandbox.test');
  const ben = newMember(world, 'ben', 'Ben Okafor', 'ben@sandbox.test');
  for (const member of [ada, ben]) giveCredentials(world, member);
  newApp(world, { ...pagesApp, idMember: null });
  for (const client of seededClients)
    world.clients.set(client.id, { ...client, redirectUris: [...client.redirectUris] });
  const asAda: Actor = { member: ada, appKey: null };
  const asBen: Actor = { member: ben, appKey: null };
  const workspace = newWorkspace(world, asAda, [ben]);
  tick();
  const board = createBoard(world, asAda, {
    name: 'Launch',
    desc: 'The path to the first public release.',
    idOrganization: workspace.id,
    defaultLabels: false,
    defaultLists: false,
    prefs: { permissionLevel: 'org' },
  });
  addMemberToBoard(world, asAda, board, ben, 'normal');
  const byLabel = new Map<string, Label>();
  for (const [name, color] of labels) byLabel.set(name, createLabel(world, asAda, board, name, color));
  const byList = new Map<string, List>();
  for (const name of ['To do', 'Doing', 'Done']) {
    tick();
    byList.set(name, createList(world, asAda, board, { name, pos: 'bottom' }));
  }
  for (const wanted of launchCards) {
    tick();
    const list = byList.get(wanted.list) as List;
    const actor = wanted.by === 'ben' ? asBen : asAda;
    const card = createCard(world, actor, list, {
      name: wanted.name,
      desc: wanted.desc ?? '',
      due:
        wanted.dueInDays === undefined ? null : new Date(today + wanted.dueInDays * day + 15 * 3_600_000).toISOString(),
      dueComplete: wanted.dueComplete ?? false,
      idLabels: (wanted.labels ?? []).map((name) => (byLabel.get(name) as Label).id),
      idMembers: (wanted.members ?? []).map((name) => (name === 'ada' ? ada : ben).id),
    });
    for (const [title, items] of Object.entries(wanted.checklists ?? {})) {
      const checklist = addChecklist(world, actor, card, { name: title });
      for (const [name, checked] of items) addCheckItem(world, actor, checklist, { name, checked });
    }
    for (const [who, text] of wanted.comments ?? []) commentOnCard(world, who === 'ada' ? asAda : asBen, card, text);
    for (const [name, url] of wanted.links ?? []) addAttachment(world, actor, card, { name, url, mimeType: '' });
    if (wanted.cover) updateCard(world, actor, card, { cover: { color: wanted.cover } });
  }
  world.seedTime = null;
};

export const launchBoard = (world: World): Board => [...world.boards.values()][0] as Board;
