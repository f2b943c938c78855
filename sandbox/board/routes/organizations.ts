import type { Call } from '../call.ts';
import type { Organization } from '../model.ts';
import { newMembership } from '../operations/boards.ts';
import { record } from '../operations/record.ts';
import { coded, invalidValue, plain } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import {
  boardShape,
  memberBasics,
  membershipView,
  organizationBasics,
  organizationShape,
  showMember,
} from '../views/boards.ts';
import { show } from '../views/fields.ts';
import { feed } from './feed.ts';
import { boardFilter } from './members.ts';
import { byEmail } from './memberships.ts';

const read = ['read:organization'] as const;
const write = ['read:organization', 'write:organization'] as const;

const whole = (call: Call, organization: Organization) =>
  show(organizationShape, organization, organizationBasics, call.viewer);

const nameFrom = (call: Call, self?: Organization): string | undefined => {
  const name = call.input.text('name');
  if (name === undefined) return undefined;
  if (!/^[a-z0-9_]{3,}$/.test(name))
    throw coded(
      400,
      'Organization short name is invalid: only lowercase letters, underscores, and numbers are allowed',
    );
  const taken = [...call.world.organizations.values()].some((other) => other !== self && other.name === name);
  if (taken) throw coded(400, 'Organization short name is taken');
  return name;
};

const displayNameFrom = (call: Call): string | undefined => {
  const name = call.input.text('displayName');
  if (name === '') throw coded(400, 'Display Name must be at least 1 character');
  return name;
};

const change = (call: Call, organization: Organization): void => {
  const { input, world, actor } = call;
  const wanted = {
    name: nameFrom(call, organization),
    displayName: displayNameFrom(call),
    desc: input.limited('desc'),
    website: input.clearable('website'),
  };
  for (const [field, value] of Object.entries(wanted)) {
    const before = organization[field as keyof typeof wanted];
    if (value === undefined || value === before) continue;
    Object.assign(organization, { [field]: value });
    const { id, name } = organization;
    record(
      world,
      actor,
      'updateOrganization',
      { idOrganization: id },
      {
        organization: { id, name, [field]: value },
        old: { [field]: before },
      },
    );
  }
  const level = input.text('prefs/permissionLevel');
  if (level !== undefined && level !== 'private' && level !== 'public') throw invalidValue('prefs/permissionLevel');
  if (level !== undefined) organization.prefs = { ...organization.prefs, permissionLevel: level };
  world.revision += 1;
};

const create = (call: Call): Organization => {
  const { world, actor, input } = call;
  const displayName = displayNameFrom(call);
  if (displayName === undefined) throw coded(400, 'Display Name must be at least 1 character');
  const id = world.id();
  const organization: Organization = {
    id,
    name: nameFrom(call) ?? `${displayName.toLowerCase().replace(/[^a-z0-9]/g, '')}${id.slice(-6)}`,
    displayName,
    desc: input.limited('desc') ?? '',
    website: input.clearable('website') ?? null,
    dateLastActivity: world.date(),
    idMemberCreator: actor.member.id,
    prefs: { permissionLevel: 'private', boardVisibilityRestrict: { private: 'org', org: 'org', public: 'org' } },
    memberships: [newMembership(world, actor.member, 'admin')],
    idBoards: [],
  };
  world.organizations.set(id, organization);
  actor.member.idOrganizations.push(id);
  record(world, actor, 'createOrganization', { idOrganization: id }, { organization: { id, name: organization.name } });
  return organization;
};

const remove = (call: Call, organization: Organization): void => {
  const { world } = call;
  world.organizations.delete(organization.id);
  for (const member of world.members.values()) {
    member.idOrganizations = member.idOrganizations.filter((id) => id !== organization.id);
  }
  for (const id of organization.idBoards) {
    const board = world.boards.get(id);
    if (board) board.idOrganization = null;
  }
  world.revision += 1;
};

export const organizationRoutes: readonly Endpoint[] = [
  post('/organizations', ['write:organization'], (call) => call.actor && whole(call, create(call))),
  get('/organizations/:organization', read, (call) =>
    show(organizationShape, call.organization(), call.fields(organizationBasics), call.viewer),
  ),
  put('/organizations/:organization', write, (call) => {
    const organization = call.organization('admin');
    change(call, organization);
    return whole(call, organization);
  }),
  del('/organizations/:organization', write, (call) => {
    remove(call, call.organization('admin'));
    return { _value: null };
  }),
  // In the recordings this told only of the workspace itself, never of its boards.
  get('/organizations/:organization/actions', read, (call) => feed(call, call.organization().id)),
  get('/organizations/:organization/boards', ['read:board'], (call) =>
    call
      .organization()
      .idBoards.map((id) => call.world.boards.get(id))
      .filter((board) => board !== undefined)
      .filter((board) => call.may(board, 'read'))
      .filter(boardFilter(call.input.text('filter') ?? 'all'))
      .map((board) => show(boardShape, board, call.fields('all'), call.viewer)),
  ),
  get('/organizations/:organization/members', read, (call) =>
    call
      .organization()
      .memberships.map(({ idMember }) => call.world.members.get(idMember))
      .filter((member) => member !== undefined)
      .map((member) => showMember(member, call.fields(memberBasics), call.viewer)),
  ),
  get('/organizations/:organization/memberships', read, (call) => call.organization().memberships.map(membershipView)),
  put('/organizations/:organization/members', ['write:organization'], (call) => {
    const organization = call.organization('admin');
    const type = call.input.text('type') ?? 'normal';
    if (type !== 'admin' && type !== 'normal') throw invalidValue('type');
    const member = byEmail(call);
    const there = organization.memberships.find(({ idMember }) => idMember === member.id);
    if (there) there.memberType = type;
    else {
      organization.memberships.push(newMembership(call.world, member, type));
      member.idOrganizations.push(organization.id);
    }
    return whole(call, organization);
  }),
  get('/organizations/:organization/:field', read, (call) => {
    const { field = '' } = call.params;
    const known = Object.hasOwn(organizationShape, field);
    if (!known) throw plain(404, `Cannot GET /1/organizations/${call.params['organization']}/${field}`);
    return { _value: organizationShape[field]?.(call.organization(), call.viewer) };
  }),
];
