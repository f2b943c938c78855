import type { Call } from '../call.ts';
import type { Action } from '../model.ts';
import { commentOnCard, deleteComment, editComment } from '../operations/card-parts.ts';
import { excludedFromFeeds } from '../operations/record.ts';
import { invalidValue, notFound, plain, unauthorized } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { showAction } from '../views/actions.ts';
import { parseFields } from '../views/fields.ts';
import { feed } from './feed.ts';

const read = ['read:board'] as const;
const write = ['write:board'] as const;

const textFrom = (call: Call, name: string): string => {
  const text = call.input.limited(name);
  if (text === undefined || text === '') throw invalidValue(name);
  return text;
};

const told = (call: Call, action: Action) => ({
  ...showAction(action, call.viewer, { display: true, entities: true }),
});

/** Only comments can be changed, and only by their author; an admin of the board may also delete them. */
const ownComment = (call: Call, { mayAdmin }: { mayAdmin: boolean }): Action => {
  const action = call.action();
  if (action.type !== 'commentCard') throw plain(400, 'only comments can be changed');
  if (call.params['card'] !== undefined && call.card().id !== action.idCard) throw notFound();
  const { member } = call.actor;
  if (action.idMemberCreator === member.id) return action;
  const board = call.board('write', action.idBoard ?? '');
  const admin = board.memberships.some(({ idMember, memberType }) => idMember === member.id && memberType === 'admin');
  if (mayAdmin && admin) return action;
  throw unauthorized();
};

const edit = (name: string) => (call: Call) => {
  const action = ownComment(call, { mayAdmin: false });
  return told(call, editComment(call.world, call.actor, action, textFrom(call, name)));
};

const remove = (call: Call) => {
  deleteComment(call.world, call.actor, ownComment(call, { mayAdmin: true }));
  return { _value: null };
};

export const commentRoutes: readonly Endpoint[] = [
  post('/cards/:card/actions/comments', write, (call) => {
    const card = call.card('write');
    return told(call, commentOnCard(call.world, call.actor, card, textFrom(call, 'text')));
  }),
  put('/cards/:card/actions/:idAction/comments', [...read, ...write], edit('text')),
  del('/cards/:card/actions/:idAction/comments', write, remove),
  // Without a filter a card tells its comments and moves.
  get('/cards/:card/actions', read, (call) =>
    feed(call, call.card().id, { filter: call.input.text('filter') ?? 'commentCard,updateCard:idList', maxPage: 19 }),
  ),
  get('/actions/:idAction', read, (call) => {
    const action = call.action();
    if (excludedFromFeeds.has(action.type)) throw notFound();
    const { input } = call;
    return showAction(action, call.viewer, {
      fields: parseFields(input.raw('fields'), 'all'),
      display: input.flag('display') ?? true,
      entities: input.flag('entities') ?? false,
      member: input.flag('member') ?? true,
      memberCreator: input.flag('memberCreator') ?? true,
    });
  }),
  put('/actions/:idAction', write, edit('text')),
  put('/actions/:idAction/text', write, edit('value')),
  del('/actions/:idAction', write, remove),
  get('/actions/:idAction/:field', read, (call) => {
    const { field = '' } = call.params;
    const shown = showAction(call.action(), call.viewer, { display: true });
    if (!Object.hasOwn(shown, field)) throw plain(404, `Cannot GET /1/actions/${call.params['idAction']}/${field}`);
    return field === 'memberCreator' || field === 'member' ? shown[field] : { _value: shown[field] };
  }),
];
