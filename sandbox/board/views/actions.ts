import type { Action, Notification } from '../model.ts';
import { shortMember } from './boards.ts';
import { displayOf } from './display.ts';
import type { Viewer } from './fields.ts';

export type ActionOptions = {
  fields?: readonly string[] | 'all';
  display?: boolean;
  memberCreator?: boolean;
  member?: boolean;
  entities?: boolean;
};

const reactionLimits = {
  reactions: {
    perAction: { status: 'ok', disableAt: 900, warnAt: 720 },
    uniquePerAction: { status: 'ok', disableAt: 17, warnAt: 14 },
  },
};

export const appCreatorOf = (appKey: string | null, { world }: Viewer) => {
  const app = world.apps.get(appKey ?? '');
  return app ? { id: app.key.slice(0, 24), name: app.name } : null;
};

/** One action as the feeds, single reads and webhooks tell it. */
export const showAction = (action: Action, viewer: Viewer, options: ActionOptions = {}): Record<string, unknown> => {
  const { fields = 'all', display = false, memberCreator = true, member = true, entities = false } = options;
  const all: Record<string, unknown> = {
    id: action.id,
    idMemberCreator: action.idMemberCreator,
    data: action.data,
    appCreator: appCreatorOf(action.appKey, viewer),
    type: action.type,
    date: action.date,
    limits: action.type === 'commentCard' ? reactionLimits : null,
  };
  const shown: Record<string, unknown> = fields === 'all' ? all : { id: action.id };
  if (fields !== 'all') for (const name of fields) if (Object.hasOwn(all, name)) shown[name] = all[name];
  if (display) shown['display'] = displayOf(action, viewer);
  const creator = viewer.world.members.get(action.idMemberCreator);
  if (memberCreator && creator) shown['memberCreator'] = shortMember(creator, viewer);
  const about = viewer.world.members.get(action.idMember ?? '');
  if (member && about) shown['member'] = shortMember(about, viewer);
  if (entities) shown['entities'] = Object.values(displayOf(action, viewer).entities);
  return shown;
};

export const notificationFields = [
  'id',
  'unread',
  'type',
  'date',
  'dateRead',
  'data',
  'idMemberCreator',
  'idAction',
  'appCreator',
  'isReactable',
  'reactions',
];

export const showNotification = (
  notification: Notification,
  viewer: Viewer,
  { fields = 'all', memberCreator = true }: { fields?: readonly string[] | 'all'; memberCreator?: boolean } = {},
): Record<string, unknown> => {
  const action = viewer.world.actions.get(notification.idAction);
  const all: Record<string, unknown> = {
    id: notification.id,
    unread: notification.unread,
    type: notification.type,
    date: notification.date,
    dateRead: notification.dateRead,
    data: notification.data,
    idMemberCreator: notification.idMemberCreator,
    idAction: notification.idAction,
    appCreator: appCreatorOf(action?.appKey ?? null, viewer),
    isReactable: notification.type === 'commentCard' || notification.type === 'mentionedOnCard',
    reactions: [],
  };
  const shown: Record<string, unknown> = fields === 'all' ? all : { id: notification.id };
  if (fields !== 'all') for (const name of fields) if (Object.hasOwn(all, name)) shown[name] = all[name];
  const creator = viewer.world.members.get(notification.idMemberCreator);
  if (memberCreator && creator) shown['memberCreator'] = shortMember(creator, viewer);
  return shown;
};
