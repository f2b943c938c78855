export type Membership = {
  id: string;
  idMember: string;
  memberType: 'admin' | 'normal' | 'observer';
  unconfirmed: boolean;
  deactivated: boolean;
};

export type Member = {
  id: string;
  username: string;
  fullName: string;
  initials: string;
  email: string;
  bio: string;
  avatarHash: string;
  locale: string;
  colorBlind: boolean;
  minutesBetweenSummaries: number;
  idBoards: string[];
  idOrganizations: string[];
};

export type Organization = {
  id: string;
  name: string;
  displayName: string;
  desc: string;
  website: string | null;
  dateLastActivity: string;
  idMemberCreator: string;
  prefs: Record<string, unknown>;
  memberships: Membership[];
  idBoards: string[];
};

export type Board = {
  id: string;
  shortLink: string;
  name: string;
  desc: string;
  closed: boolean;
  dateClosed: string | null;
  idOrganization: string | null;
  idMemberCreator: string;
  prefs: Record<string, unknown>;
  memberships: Membership[];
  dateLastActivity: string;
  dateLastView: string;
  starredBy: string[];
  subscribers: string[];
  idLabels: string[];
  cardsMade: number;
  changes: number;
};

export type List = {
  id: string;
  name: string;
  closed: boolean;
  idBoard: string;
  pos: number;
  color: string | null;
  subscribers: string[];
};

export type Cover = {
  idAttachment: string | null;
  color: string | null;
  idUploadedBackground: null;
  size: string;
  brightness: string;
  idPlugin: null;
};

export type Attachment = {
  id: string;
  bytes: number | null;
  date: string;
  edgeColor: null;
  idMember: string;
  isUpload: boolean;
  mimeType: string;
  name: string;
  fileName: string | null;
  url: string;
  pos: number;
};

export type Card = {
  id: string;
  shortLink: string;
  idShort: number;
  idBoard: string;
  idList: string;
  name: string;
  desc: string;
  closed: boolean;
  pos: number;
  due: string | null;
  dueComplete: boolean;
  dueReminder: number | null;
  start: string | null;
  idLabels: string[];
  idMembers: string[];
  idMembersVoted: string[];
  idChecklists: string[];
  attachments: Attachment[];
  idAttachmentCover: string | null;
  manualCoverAttachment: boolean;
  cover: Cover;
  subscribers: string[];
  dateLastActivity: string;
  comments: number;
  address: string | null;
  locationName: string | null;
  coordinates: string | null;
  cardRole: string | null;
};

export type CheckItem = {
  id: string;
  idChecklist: string;
  name: string;
  pos: number;
  state: 'complete' | 'incomplete';
  due: string | null;
  dueReminder: number | null;
  idMember: string | null;
};

export type Checklist = {
  id: string;
  name: string;
  idBoard: string;
  idCard: string;
  pos: number;
  checkItems: CheckItem[];
};

export type Label = { id: string; idBoard: string; name: string; color: string | null };

export type ActionData = Record<string, unknown>;

export type Action = {
  id: string;
  type: string;
  date: string;
  idMemberCreator: string;
  appKey: string | null;
  data: ActionData;
  /** The member an action is about, beside the one who did it. */
  idMember: string | null;
  idOrganization: string | null;
  idBoard: string | null;
  idCard: string | null;
  idLists: string[];
  /** A comment taken back: it happened, but is told no more. */
  deleted: boolean;
};

export type Notification = {
  id: string;
  idMember: string;
  type: string;
  date: string;
  dateRead: string | null;
  unread: boolean;
  data: ActionData;
  idAction: string;
  idMemberCreator: string;
};

/** What a person registers to call the API: a key with its secret, or an OAuth 2.0 client. */
export type App = {
  key: string;
  secret: string;
  name: string;
  idMember: string | null;
  allowedOrigins: string[];
};

export type OAuthClient = { id: string; secret: string | null; name: string; redirectUris: string[] };

export type Token = {
  id: string;
  value: string;
  /** The app's key, or the OAuth 2.0 client's id. */
  appKey: string;
  kind: 'key' | 'oauth';
  /** What owns the webhooks: the token itself, or the grant its access tokens come from. */
  idOwner: string;
  identifier: string;
  idMember: string;
  dateCreated: string;
  dateExpires: string | null;
  scopes: string[];
};

export type Grant = {
  id: string;
  clientId: string;
  idMember: string;
  scopes: string[];
  refreshToken: string | null;
  refreshExpires: string;
};

export type AuthorizationCode = {
  code: string;
  clientId: string;
  idMember: string;
  scopes: string[];
  redirectUri: string;
  challenge: string;
  expires: string;
};

export type Webhook = {
  id: string;
  description: string;
  idModel: string;
  callbackURL: string;
  active: boolean;
  consecutiveFailures: number;
  firstConsecutiveFailDate: string | null;
  idOwner: string;
  idMember: string;
  appKey: string;
  kind: 'key' | 'oauth';
};

/** Who does something: the member, through which app, under which name the app gave itself. */
export type Actor = { member: Member; appKey: string | null; clientIdentifier?: string | undefined };
