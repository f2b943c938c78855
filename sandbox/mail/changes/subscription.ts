import { GraphError } from '../graph-error.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { findFolder } from '../messages/find.ts';
import { type Filter, parseFilterFor } from '../odata/index.ts';
import { segmentsOf } from '../router.ts';
import { wireTime } from '../text.ts';
import type { Change, World } from '../world.ts';

/** Plain data, so that snapshots hold it; what it listens to is read from `resource` when needed. */
export type Subscription = {
  id: string;
  owner: string;
  tenantId: string;
  appId: string;
  resource: string;
  changeTypes: string[];
  changeTypeText: string;
  notificationUrl: string;
  lifecycleUrl: string | null;
  clientState: string | null;
  expires: number;
  immutableIds: boolean;
  tls: string;
};

export type Target = { kind: Change['kind']; folderId: string | undefined; filter: Filter | undefined };

const unsupported = (resource: string): GraphError =>
  new GraphError(
    400,
    'ExtensionError',
    `Operation: Create; Exception: [Status Code: BadRequest; Reason: Resource '${resource.slice(0, 200)}' is not supported for subscriptions.]`,
  );

/** What a resource path means: `me/mailFolders('inbox')/messages?$filter=…` and its kin. */
export const readTarget = (world: World, person: { id: string; address: string }, resource: string): Target => {
  const [path = '', search = ''] = resource.replace(/^\/?(v1\.0\/)?/, '').split(/\?(.*)/s);
  const segments = segmentsOf(path);
  const first = segments[0]?.toLowerCase();
  const below = first === 'users' ? 2 : 1;
  const named = first === 'users' ? world.person(segments[1] ?? '') : world.people.get(person.id);
  // Delegated subscriptions cover only the signed-in user's own mailbox.
  if ((first !== 'me' && first !== 'users') || named?.id !== person.id) {
    throw new GraphError(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.');
  }
  const mailbox = world.mailboxes.get(person.id) as Mailbox;
  const rest = segments.slice(below).map((segment) => segment.toLowerCase());
  const options = new Map(
    [...new URLSearchParams(search.replaceAll('+', '%2B'))].map(([name, value]) => [name.toLowerCase(), value]),
  );
  // A resource takes $filter, not $search (outlook-change-notifications-overview).
  if (options.has('$search')) throw unsupported(resource);
  const filterText = options.get('$filter');
  const target = (kind: Change['kind'], folderId?: string): Target => ({
    kind,
    folderId,
    filter: filterText === undefined ? undefined : parseFilterFor(filterText, kind),
  });
  if (rest.length === 1 && rest[0] === 'messages') return target('message');
  if (rest.length === 3 && rest[0] === 'mailfolders' && rest[2] === 'messages') {
    return target('message', findFolder(mailbox, segments[below + 1] ?? '').id);
  }
  if (rest.join('/') === 'events' || rest.join('/') === 'calendar/events') return target('event');
  if (rest.length === 3 && rest[0] === 'calendars' && rest[2] === 'events') return target('event', segments[below + 1]);
  if (rest.length === 1 && rest[0] === 'contacts') return target('contact');
  if (rest.length === 3 && rest[0] === 'contactfolders' && rest[2] === 'contacts')
    return target('contact', segments[below + 1]);
  throw unsupported(resource);
};

export const scopesFor: Record<Change['kind'], string[]> = {
  message: ['Mail.ReadBasic', 'Mail.Read'],
  event: ['Calendars.ReadBasic', 'Calendars.Read'],
  contact: ['Contacts.Read'],
};

/** As answers show it; only the answer to the creation shows clientState. */
export const subscriptionView = (subscription: Subscription, withState = false): Json => ({
  id: subscription.id,
  resource: subscription.resource,
  applicationId: subscription.appId,
  changeType: subscription.changeTypeText,
  clientState: withState ? subscription.clientState : null,
  notificationUrl: subscription.notificationUrl,
  notificationQueryOptions: null,
  lifecycleNotificationUrl: subscription.lifecycleUrl,
  expirationDateTime: wireTime(subscription.expires),
  creatorId: subscription.owner,
  includeResourceData: null,
  latestSupportedTlsVersion: subscription.tls,
  encryptionCertificate: null,
  encryptionCertificateId: null,
  notificationUrlAppId: null,
});

/**
 * What a subscription hears of a change, if anything. With a filter, leaving its matches is heard as `deleted` and
 * entering them as `created`.
 */
export const heard = (subscription: Subscription, target: Target, change: Change): Change['change'] | undefined => {
  if (target.kind !== change.kind) return undefined;
  if (target.folderId !== undefined && target.folderId !== change.folderId) return undefined;
  // Within the whole mailbox an item known by its immutable id never left: its two halves of a move are one update.
  const oneUpdate = change.moved === true && target.folderId === undefined && subscription.immutableIds;
  if (oneUpdate && change.change === 'deleted') return undefined;
  let kind = oneUpdate ? 'updated' : change.change;
  if (target.filter !== undefined && kind !== 'deleted') {
    const matches = change.entity !== undefined && target.filter.test(change.entity);
    const matched = change.before === undefined ? matches : target.filter.test(change.before);
    if (!matches && !matched) return undefined;
    if (matches !== matched) kind = matches ? 'created' : 'deleted';
  }
  return subscription.changeTypes.includes(kind) ? kind : undefined;
};
