import type { Board, Member, Membership, Organization } from '../model.ts';
import { pageUrl } from './cards.ts';
import { type Shape, show, type Viewer } from './fields.ts';

const colors = ['green', 'yellow', 'orange', 'red', 'purple', 'blue', 'sky', 'lime', 'pink', 'black'];
export const labelColors: readonly string[] = colors.flatMap((color) => [color, `${color}_dark`, `${color}_light`]);

const labelNames = (board: Board, { world }: Viewer): Record<string, string> => {
  const names = Object.fromEntries(labelColors.map((color) => [color, '']));
  for (const id of board.idLabels) {
    const label = world.labels.get(id);
    if (label?.color && names[label.color] === '') names[label.color] = label.name;
  }
  return names;
};

const limit = (disableAt: number) => ({ status: 'ok', disableAt, warnAt: Math.floor(disableAt * 0.9) });
const limits = {
  attachments: { perBoard: limit(36000), perCard: limit(1000) },
  boards: { totalMembersPerBoard: limit(1600), totalAccessRequestsPerBoard: limit(4000) },
  cards: {
    openPerBoard: limit(5000),
    openPerList: limit(5000),
    totalPerBoard: limit(2000000),
    totalPerList: limit(1000000),
  },
  checklists: { perBoard: limit(1800000), perCard: limit(500) },
  checkItems: { perChecklist: limit(200) },
  customFields: { perBoard: limit(50) },
  customFieldOptions: { perField: limit(50) },
  labels: { perBoard: limit(1000) },
  lists: { openPerBoard: limit(500), totalPerBoard: limit(3000) },
  stickers: { perCard: limit(70) },
  reactions: { perAction: limit(900), uniquePerAction: limit(17) },
};

const has = (ids: string[], id: string | null): boolean => id !== null && ids.includes(id);

export const membershipView = ({ id, idMember, memberType, unconfirmed, deactivated }: Membership) => ({
  id,
  idMember,
  memberType,
  unconfirmed,
  deactivated,
});

export const boardShape: Shape<Board> = {
  id: ({ id }) => id,
  nodeId: ({ id }) => `ari:cloud:trello::board/workspace/${id}`,
  name: ({ name }) => name,
  desc: ({ desc }) => desc,
  descData: () => null,
  closed: ({ closed }) => closed,
  dateClosed: ({ dateClosed }) => dateClosed,
  idOrganization: ({ idOrganization }) => idOrganization,
  idEnterprise: () => null,
  idMemberCreator: ({ idMemberCreator }) => idMemberCreator,
  limits: () => limits,
  pinned: () => false,
  starred: ({ starredBy }, { idMember }) => has(starredBy, idMember),
  url: ({ shortLink, name }, { world }) => pageUrl(world.baseUrl, 'b', shortLink, '', name),
  prefs: ({ prefs }) => prefs,
  shortLink: ({ shortLink }) => shortLink,
  subscribed: ({ subscribers }, { idMember }) => has(subscribers, idMember),
  labelNames,
  powerUps: () => [],
  dateLastActivity: ({ dateLastActivity }) => dateLastActivity,
  dateLastView: ({ dateLastView }) => dateLastView,
  shortUrl: ({ shortLink }, { world }) => `${world.baseUrl}/b/${shortLink}`,
  idTags: () => [],
  datePluginDisable: () => null,
  creationMethod: () => null,
  ixUpdate: ({ changes }) => String(changes),
  templateGallery: () => null,
  enterpriseOwned: () => false,
  idBoardSource: () => null,
  premiumFeatures: () => [],
  memberships: ({ memberships }) => memberships.map(membershipView),
};

export const boardBasics = [
  'name',
  'desc',
  'descData',
  'closed',
  'idOrganization',
  'idEnterprise',
  'pinned',
  'url',
  'shortUrl',
  'prefs',
  'labelNames',
];

const nonPublic = () => ({});
const avatarUrl = (avatarHash: string, base: string): string => `${base}/avatars/${avatarHash}`;

export const memberShape: Shape<Member> = {
  id: ({ id }) => id,
  aaId: () => null,
  activityBlocked: () => false,
  avatarHash: ({ avatarHash }) => avatarHash,
  avatarUrl: ({ avatarHash }, { world }) => avatarUrl(avatarHash, world.baseUrl),
  bio: ({ bio }) => bio,
  bioData: () => ({ emoji: {} }),
  confirmed: () => true,
  fullName: ({ fullName }) => fullName,
  idEnterprise: () => null,
  idEnterprisesDeactivated: () => [],
  idMemberReferrer: () => null,
  idPremOrgsAdmin: () => [],
  initials: ({ initials }) => initials,
  memberType: () => 'normal',
  nonPublic,
  nonPublicAvailable: () => true,
  products: () => [],
  url: ({ username }, { world }) => `${world.baseUrl}/u/${username}`,
  username: ({ username }) => username,
  status: () => 'disconnected',
  avatarSource: () => 'upload',
  email: ({ email }) => email,
  gravatarHash: ({ avatarHash }) => avatarHash,
  idBoards: ({ idBoards }) => idBoards,
  idOrganizations: ({ idOrganizations }) => idOrganizations,
  idEnterprisesAdmin: () => [],
  limits: () => ({ status: 'ok', disableAt: 4500, warnAt: 4050 }),
  loginTypes: () => ['password'],
  oneTimeMessagesDismissed: () => [],
  prefs: ({ locale, colorBlind, minutesBetweenSummaries }) => ({
    sendSummaries: minutesBetweenSummaries > 0,
    minutesBetweenSummaries,
    minutesBeforeDeadlineToNotify: 1440,
    colorBlind,
    locale,
    timezone: 'Etc/UTC',
    privacy: { fullName: 'public', avatar: 'public' },
    twoFactor: { enabled: false, needsNewBackups: false },
  }),
  trophies: () => [],
  uploadedAvatarHash: ({ avatarHash }) => avatarHash,
  uploadedAvatarUrl: ({ avatarHash }, { world }) => avatarUrl(avatarHash, world.baseUrl),
  premiumFeatures: () => [],
  isAaMastered: () => false,
};

export const memberBasics = [
  'id',
  'activityBlocked',
  'avatarHash',
  'avatarUrl',
  'fullName',
  'idMemberReferrer',
  'initials',
  'nonPublic',
  'nonPublicAvailable',
  'username',
];

/** The address is told to its owner only, and only with the right to know it. */
export const showMember = (member: Member, fields: readonly string[] | 'all', viewer: Viewer) => {
  const shown = show(memberShape, member, fields, viewer);
  if (viewer.idMember !== member.id || !viewer.email) delete shown['email'];
  return shown;
};

export const shortMember = (member: Member, viewer: Viewer) => showMember(member, memberBasics, viewer);

export const organizationShape: Shape<Organization> = {
  id: ({ id }) => id,
  nodeId: ({ id }) => `ari:cloud:trello::workspace/${id}`,
  name: ({ name }) => name,
  displayName: ({ displayName }) => displayName,
  desc: ({ desc }) => desc,
  descData: () => ({ emoji: {} }),
  dateLastActivity: ({ dateLastActivity }) => dateLastActivity,
  offering: () => 'trello.free',
  url: ({ name }, { world }) => `${world.baseUrl}/w/${name}`,
  website: ({ website }) => website,
  teamType: () => null,
  logoHash: () => null,
  logoUrl: () => null,
  premiumFeatures: () => [],
  powerUps: () => [],
  products: () => [],
  prefs: ({ prefs }) => prefs,
  idBoards: ({ idBoards }) => idBoards,
  idMemberCreator: ({ idMemberCreator }) => idMemberCreator,
  membersCount: ({ memberships }) => memberships.length,
  memberships: ({ memberships }) => memberships.map(membershipView),
};
export const organizationBasics = Object.keys(organizationShape).filter((name) => name !== 'memberships');
