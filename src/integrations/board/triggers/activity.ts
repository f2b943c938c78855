import { z } from 'zod';
import { CheckItem } from '../shapes.ts';
import { type Acted, ActedLabel, actionOf, listsOf, Named } from './action.ts';
import { isOfType } from './action-type.ts';
import { Change, changesOf } from './changes.ts';
import {
  base,
  CardView,
  capped,
  cardOf,
  LabelView,
  ListView,
  MemberView,
  payload,
  personOf,
  shown,
  shownLabel,
} from './payload.ts';

/** Any action of a board. */
export const Activity = actionOf(z.string(), {});

const Item = Named.extend({ state: CheckItem.shape.state.optional() });

/** Any action, told in one shape: what it is about is there if the action has it. */
export const ActivityEvent = z.object({
  ...payload,
  list: ListView.optional(),
  card: CardView.optional(),
  changes: z.array(Change),
  member: MemberView.optional(),
  label: LabelView.optional(),
  checklist: ListView.optional(),
  checkItem: Item.optional(),
  attachment: ListView.extend({ url: z.string().optional() }).optional(),
  comment: z.object({ id: z.string(), text: z.string().optional(), capped: z.boolean() }).optional(),
});

const Comment = z.object({ id: z.string(), text: z.string().optional() });

const comments = new Set(['commentCard', 'copyCommentCard']);

/** A comment is its action; later changes name that one. */
const commentOf = ({ id, type, data }: Acted) => {
  const told = comments.has(type) ? { id, text: data['text'] } : data['action'];
  const { data: comment } = Comment.safeParse(type.endsWith('Comment') || comments.has(type) ? told : undefined);
  if (comment === undefined) return undefined;
  return { id: comment.id, ...(comment.text === undefined ? { capped: false } : capped(comment.text)) };
};

const Attached = Named.extend({ url: z.string().max(4_000).optional().catch(undefined) });

export const activityOf = (delivery: Acted, _: unknown, pages?: URL): z.input<typeof ActivityEvent> => {
  const { data } = delivery;
  const member = personOf(delivery);
  const [list] = listsOf(delivery);
  const card = cardOf(delivery, pages);
  const label = ActedLabel.safeParse(data['label']).data;
  const checklist = Named.safeParse(data['checklist']).data;
  const item = Item.safeParse(data['checkItem']).data;
  const { data: { url, ...attached } = {} } = Attached.safeParse(data['attachment']);
  const attachment = Named.safeParse(attached).data;
  const comment = commentOf(delivery);
  return {
    ...base(delivery, pages),
    ...(list === undefined ? {} : { list: shown(list) }),
    ...(card === undefined ? {} : { card }),
    changes: changesOf(delivery),
    ...(member === undefined ? {} : { member }),
    ...(label === undefined ? {} : { label: shownLabel(label) }),
    ...(checklist === undefined ? {} : { checklist: shown(checklist) }),
    ...(item === undefined ? {} : { checkItem: { ...item, ...shown(item) } }),
    ...(attachment === undefined
      ? {}
      : { attachment: { ...shown(attachment), ...(url === undefined ? {} : { url }) } }),
    ...(comment === undefined ? {} : { comment }),
  };
};

export const admitsType = (chosen: readonly string[], { type, data }: Acted): boolean =>
  chosen.length === 0 ||
  chosen.some((each) => {
    const [name = '', field] = each.split(':');
    const old = z.record(z.string(), z.unknown()).safeParse(data['old']).data ?? {};
    if (field !== undefined && !Object.hasOwn(old, field)) return false;
    return isOfType(type, name);
  });
