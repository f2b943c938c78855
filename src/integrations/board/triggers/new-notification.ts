import { z } from 'zod';
import { definePollTrigger, type Judgement, type LookContext, type Occurrence, path, type Sighting } from '#kit';
import { cut } from '../cards.ts';
import { firstIdAt, secondsBefore } from '../ids.ts';
import { toRead } from '../scopes.ts';
import { madeAt } from '../shapes.ts';
import { Action, occurrenceOf, Person, word } from '../watching/occurrence.ts';
import { Named } from './action.ts';
import { admitsBoard, common, judged, settleBoards } from './config.ts';
import sample from './new-notification.sample.json' with { type: 'json' };
import { notificationLine } from './notification-words.ts';
import { ActorView, BoardView, CardView, capped, short, shownBoard, shownCard } from './payload.ts';

const Config = z.object({
  ...common,
  boards: common.boards.describe(
    'Only notifications about these boards: ids, short links, web addresses or exact names; empty for all.',
  ),
  types: z
    .array(
      z
        .string()
        .regex(/^[a-zA-Z]{1,60}$/, 'must be a type such as mentionedOnCard')
        .meta({ picker: 'notification_types' }),
    )
    .max(100)
    .default([])
    .describe('Only these types, such as mentionedOnCard, addedToCard or commentCard; empty for all.'),
  unreadOnly: z.boolean().default(false).describe('Only those that are still unread when they are found.'),
  pollInterval: z
    .int()
    .min(30)
    .max(86_400)
    .default(60)
    .describe('Seconds from one look to the next.')
    .meta({ title: 'Seconds between looks' }),
});
type Config = z.output<typeof Config>;

const Linked = Named.extend({ shortLink: z.string().optional() });

const Notification = z.object({
  id: z.string(),
  type: z.string(),
  date: z.string(),
  unread: z.boolean(),
  // Notifications of boards and workspaces have no card.
  data: z
    .looseObject({
      board: Linked.optional().catch(undefined),
      card: Linked.optional().catch(undefined),
      text: z.string().optional().catch(undefined),
    })
    .catch({})
    .default({}),
  idMemberCreator: word,
  idAction: word,
  memberCreator: Person,
});
type Notification = z.output<typeof Notification>;

const Identified = z.object({ id: z.string() });

/** `seen` holds those of the last minutes: what comes to light late is found by looking there again. */
const Cursor = z.object({ newest: z.string(), floor: z.string(), seen: z.array(z.string()) });
type Cursor = z.output<typeof Cursor>;

const overlapSeconds = 120;
const pageSize = 1000;
const mostPages = 20;
const never = '0'.repeat(24);

const page = async ({ upstream }: LookContext<Config>, query: Record<string, string | number>) =>
  z.array(Identified.loose()).parse(await upstream.get(path`/1/members/me/notifications`, { query }));

/** Down to what was there before. One of a shape that nobody knows is left out rather than in the way of all others. */
const readSince = async (context: LookContext<Config>, since: string): Promise<Notification[]> => {
  const found: z.output<typeof Identified>[] = [];
  for (let read = 0; read < mostPages; read += 1) {
    const last = found.at(-1)?.id;
    const more = await page(context, { limit: pageSize, since, ...(last === undefined ? {} : { before: last }) });
    found.push(...more);
    if (more.length < pageSize) break;
  }
  return found.flatMap((each) => Notification.safeParse(each).data ?? []);
};

/** The first look may be late, as while the service was away: what came since the trigger was enabled is told. */
const begin = async (context: LookContext<Config>): Promise<Cursor> => {
  // By the service's own count, in case its clock is behind ours.
  const newest = (await page(context, { limit: 1 })).at(0)?.id ?? never;
  const first = firstIdAt(context.since);
  const floor = newest < first ? newest : first;
  return { newest: floor, floor, seen: [] };
};

const judge = ({ type, unread, data }: Notification, { boards, types, unreadOnly }: Config): Judgement =>
  judged({
    boards: admitsBoard(boards, data.board),
    types: types.length === 0 || types.includes(type),
    unreadOnly: unread || !unreadOnly,
  });

/** What the account is notified of, by the name of the action, where that is another one. */
const actions: Readonly<Record<string, string>> = {
  mentionedOnCard: 'commentCard',
  addedToCard: 'addMemberToCard',
  addedMemberToCard: 'addMemberToCard',
  removedFromCard: 'removeMemberFromCard',
  removedMemberFromCard: 'removeMemberFromCard',
  changeCard: 'updateCard',
  createdCard: 'createCard',
  addedAttachmentToCard: 'addAttachmentToCard',
  addedToBoard: 'addMemberToBoard',
  removedFromBoard: 'removeMemberFromBoard',
  addAdminToBoard: 'makeAdminOfBoard',
};

const causeOf = (notification: Notification, me: string): Occurrence | undefined => {
  const { type, date, data, idAction: id, idMemberCreator } = notification;
  const idMember = /^(?:added|removed)(?:To|From)/.test(type) ? { idMember: me } : {};
  const told = { id, type: actions[type] ?? type, date, idMemberCreator, data: { ...idMember, ...data } };
  const { data: action } = Action.safeParse(told);
  return action && occurrenceOf(action);
};

const sightingOf = (notification: Notification, { config, pages, account }: LookContext<Config>): Sighting => {
  const { id, type, date, unread, data, memberCreator, idMemberCreator } = notification;
  const actorId = memberCreator?.id ?? idMemberCreator ?? undefined;
  const name = memberCreator?.fullName ?? memberCreator?.username;
  const actor = actorId === undefined ? undefined : { id: actorId, name: short(name ?? actorId) };
  const judgement = judge(notification, config);
  return {
    key: id,
    order: id,
    subject: data.card?.id ?? null,
    at: Number.isNaN(Date.parse(date)) ? madeAt(id) : new Date(date),
    event: {
      notification: { id, type, date, unread, ...(data.text === undefined ? {} : capped(data.text)) },
      ...(data.board === undefined ? {} : { board: shownBoard(data.board, pages) }),
      ...(data.card === undefined ? {} : { card: shownCard(data.card, pages) }),
      ...(actor === undefined ? {} : { actor }),
    },
    actor,
    summary: notificationLine(notification, name && cut(name, 80)),
    cause: causeOf(notification, account.identity.id),
    ...(judgement.outcome === 'fired' ? {} : { judgement }),
  };
};

export const newNotification = definePollTrigger({
  name: 'new_notification',
  title: 'New Notification',
  purpose: 'Fires when the account receives a notification of the board service.',
  scopes: [...toRead, ['read', 'read:member', 'read:member:trello']],
  every: { seconds: 60 },
  config: Config,
  event: z.object({
    notification: z.object({
      id: z.string(),
      type: z.string(),
      date: z.string(),
      unread: z.boolean(),
      text: z.string().optional(),
      capped: z.boolean().optional(),
    }),
    board: BoardView.optional(),
    card: CardView.optional(),
    actor: ActorView.optional(),
  }),
  settle: settleBoards,
  pollSeconds: ({ pollInterval }) => pollInterval,
  look: async (context) => {
    const before = Cursor.safeParse(context.cursor).data ?? (await begin(context));
    const again = secondsBefore(before.newest, overlapSeconds);
    const since = again > before.floor ? again : before.floor;
    const found = (await readSince(context, since)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const seen = new Set(before.seen);
    const newest = found.at(-1)?.id ?? before.newest;
    const recent = secondsBefore(newest, overlapSeconds);
    return {
      sightings: found.filter(({ id }) => !seen.has(id)).map((one) => sightingOf(one, context)),
      cursor: {
        newest,
        floor: before.floor,
        seen: found.map(({ id }) => id).filter((id) => id >= recent),
      },
    };
  },
  sample,
});
