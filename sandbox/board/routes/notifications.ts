import type { Call } from '../call.ts';
import { anonymous } from '../identify.ts';
import type { Member, Notification } from '../model.ts';
import { invalidValue, notFound, plain, unauthorized } from '../refusal.ts';
import { type Endpoint, get, post, put } from '../router.ts';
import { notificationFields, showNotification } from '../views/actions.ts';
import { boardShape } from '../views/boards.ts';
import { cardShape, listShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { newestFirst, pageOf } from './feed.ts';

/** Newest first, so the cursor for the next look is the id of the first. */
export const notificationList = (call: Call, member: Member): unknown[] => {
  const { input, world, viewer } = call;
  const filter = input.text('filter') ?? 'all';
  const types = filter === 'all' ? undefined : new Set(filter.split(','));
  const read = input.text('read_filter') ?? 'all';
  if (!['all', 'read', 'unread'].includes(read)) throw invalidValue('read_filter');
  const wanted = ({ type, unread }: Notification): boolean =>
    (types?.has(type) ?? true) && (read === 'all' || unread === (read === 'unread'));
  const fields = parseFields(input.raw('fields'), 'all');
  const memberCreator = input.flag('memberCreator') ?? true;
  return newestFirst(world.notificationsOf.get(member.id) ?? [], pageOf(call, { maxPage: 100 }), wanted).map((one) =>
    showNotification(one, viewer, { fields, memberCreator }),
  );
};

const own = (call: Call): Notification => {
  if (!call.caller.member) throw anonymous(call.caller);
  const found = call.world.notifications.get((call.params['idNotification'] ?? '').toLowerCase());
  if (!found) throw notFound();
  if (found.idMember !== call.caller.member.id) throw unauthorized();
  return found;
};

const mark = (call: Call, notification: Notification, unread: boolean | undefined): unknown => {
  if (unread !== undefined && unread !== notification.unread) {
    notification.unread = unread;
    notification.dateRead = unread ? null : call.world.date();
    call.world.revision += 1;
  }
  return showNotification(notification, call.viewer);
};

const idIn = (notification: Notification, name: string): string => {
  const part = notification.data[name];
  const id = typeof part === 'object' && part !== null && 'id' in part ? part.id : undefined;
  if (typeof id !== 'string') throw notFound();
  return id;
};

const read = ['read:member'] as const;
const write = ['write:member'] as const;

export const notificationRoutes: readonly Endpoint[] = [
  post('/notifications/all/read', write, (call) => {
    const { member } = call.actor;
    const unread = !(call.input.flag('read') ?? true);
    const ids = call.input.ids('ids');
    for (const notification of call.world.notificationsOf.get(member.id) ?? []) {
      if (!ids || ids.includes(notification.id)) mark(call, notification, unread);
    }
    return {};
  }),
  get('/notifications/:idNotification', [], (call) => {
    const fields = parseFields(call.input.raw('fields'), 'all');
    const notification = own(call);
    const shown = showNotification(notification, call.viewer, {
      fields,
      memberCreator: call.input.flag('memberCreator') ?? true,
    });
    const card = call.input.raw('card') === 'true' && call.world.cards.get(idIn(notification, 'card'));
    if (card) shown['card'] = show(cardShape, card, parseFields(call.input.raw('card_fields'), 'all'), call.viewer);
    const board = call.input.raw('board') === 'true' && call.world.boards.get(idIn(notification, 'board'));
    if (board)
      shown['board'] = show(boardShape, board, parseFields(call.input.raw('board_fields'), ['name']), call.viewer);
    return shown;
  }),
  put('/notifications/:idNotification', write, (call) => mark(call, own(call), call.input.flag('unread'))),
  put('/notifications/:idNotification/unread', write, (call) => {
    const unread = call.input.flag('value');
    if (unread === undefined) throw invalidValue('value');
    return mark(call, own(call), unread);
  }),
  get('/notifications/:idNotification/card', read, (call) =>
    show(cardShape, call.card('read', idIn(own(call), 'card')), call.fields('all'), call.viewer),
  ),
  get('/notifications/:idNotification/board', read, (call) =>
    show(boardShape, call.board('read', idIn(own(call), 'board')), call.fields('all'), call.viewer),
  ),
  get('/notifications/:idNotification/list', read, (call) =>
    show(listShape, call.list('read', idIn(own(call), 'list')), call.fields('all'), call.viewer),
  ),
  get('/notifications/:idNotification/:field', read, (call) => {
    const { field = '' } = call.params;
    const known = notificationFields.includes(field);
    if (!known) throw plain(404, `Cannot GET /1/notifications/${call.params['idNotification']}/${field}`);
    return { _value: showNotification(own(call), call.viewer)[field] };
  }),
];
