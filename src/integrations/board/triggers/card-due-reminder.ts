import { z } from 'zod';
import { definePollTrigger, type LookContext, path, type Sighting, type WatchContext } from '#kit';
import { cardFields, summarize } from '../cards.ts';
import { unlessGone } from '../faults.ts';
import { LeadTime, milliseconds } from '../lead-time.ts';
import { toRead } from '../scopes.ts';
import { Member, madeAt } from '../shapes.ts';
import { Named } from './action.ts';
import sample from './card-due-reminder.sample.json' with { type: 'json' };
import { admitsNamed, boardResources, common, lists, settleBoards } from './config.ts';
import { BoardView, CardView, ListView, short, shown, shownBoard } from './payload.ts';

const Config = z.object({
  ...common,
  leadTime: LeadTime.default('PT1H').describe(
    'How long before the due date: an ISO 8601 duration such as PT15M or P1D, or words such as "2 hours" or "1 week".',
  ),
  lists,
  onlyMine: z.boolean().default(false).describe('Only cards that the person of the account is a member of.'),
  includeComplete: z.boolean().default(false).describe('Also cards whose due date is marked as met.'),
});
type Config = z.output<typeof Config>;

/** What was past at the first look at a board never fires, nor does anything twice; a changed due date is another. */
const Cursor = z.object({
  boards: z.array(z.string()),
  passed: z.record(z.string(), z.string()),
  /** By which settings it was looked, and when: what was past by then is past by others, too. */
  settings: z.string().optional(),
  at: z.number().optional(),
});

const Card = z.object({
  id: z.string(),
  due: z.string().nullable(),
  dueComplete: z.boolean(),
  closed: z.boolean(),
  idList: z.string(),
  idMembers: z.array(z.string()),
});
type Card = z.output<typeof Card> & { due: string };

const Board = Named.extend({
  shortLink: z.string().optional(),
  closed: z.boolean(),
  cards: z.array(Card),
  lists: z.array(Named),
});
type Board = z.output<typeof Board>;

/** A reminder that is this late reminds nobody; older ones need not be remembered. */
const oldestMs = 30 * 86_400_000;

const momentOf = (due: string, leadTime: string): number => Date.parse(due) - milliseconds(leadTime);

const readBoard = async (id: string, isKnown: boolean, upstream: WatchContext['upstream']) => {
  const query = {
    fields: 'name,shortLink,closed',
    // Archived cards may come back, so what was past is learned of them, too.
    cards: isKnown ? 'open' : 'all',
    card_fields: 'due,dueComplete,closed,idList,idMembers',
    lists: 'open',
    list_fields: 'name',
  };
  const body = await unlessGone(upstream.get(path`/1/boards/${id}`, { query }));
  return body === undefined ? undefined : Board.parse(body);
};

const isMeant = (card: Card, board: Board, { config, account }: LookContext<Config>): boolean => {
  const home = board.lists.find(({ id }) => id === card.idList);
  return (
    home !== undefined &&
    !board.closed &&
    !card.closed &&
    (config.includeComplete || !card.dueComplete) &&
    admitsNamed(config.lists, [home]) &&
    (!config.onlyMine || card.idMembers.includes(account.identity.id))
  );
};

const Whole = z.looseObject({ closed: z.boolean(), due: z.string().nullable(), list: Named, members: z.array(Member) });

/** The card as it is at this moment; `undefined` if the reminder no longer holds. */
const remind = async (card: Card, board: Board, context: LookContext<Config>): Promise<Sighting | undefined> => {
  const { upstream, config, now, pages } = context;
  const query = {
    fields: cardFields,
    list: true,
    list_fields: 'name',
    members: true,
    member_fields: 'username,fullName',
  };
  const body = await unlessGone(upstream.get(path`/1/cards/${card.id}`, { query }));
  if (body === undefined) return undefined;
  const { list, members } = Whole.parse(body);
  const { idMembers, ...read } = summarize(body);
  if (read.due !== card.due || !isMeant({ ...read, due: card.due, idMembers }, board, context)) return undefined;
  const { leadTime } = config;
  return {
    key: `${card.id} ${card.due} ${milliseconds(leadTime)}`,
    order: card.due,
    subject: card.id,
    at: new Date(momentOf(card.due, leadTime)),
    event: {
      board: shownBoard(board, pages),
      list: shown(list),
      card: { ...read, members },
      dueAt: card.due,
      leadTime,
      dueIn: Math.round((Date.parse(card.due) - now.getTime()) / 1000),
    },
    summary: `“${short(read.name)}” is due at ${card.due}`,
  };
};

export const cardDueReminder = definePollTrigger({
  name: 'card_due_reminder',
  title: 'Card Due Date Reminder',
  purpose: 'Fires a set time before a card is due.',
  scopes: toRead,
  every: { seconds: 60 },
  config: Config,
  event: z.object({
    board: BoardView,
    list: ListView,
    card: CardView,
    dueAt: z.string(),
    leadTime: z.string(),
    dueIn: z.number().describe('Seconds until it is due; negative when that is past.'),
  }),
  settle: settleBoards,
  look: async (context) => {
    const { upstream, account, config, since, now } = context;
    const before = Cursor.safeParse(context.cursor).data ?? { boards: [], passed: {} };
    const { leadTime, lists: within, onlyMine, includeComplete } = config;
    const settings = JSON.stringify([milliseconds(leadTime), within, onlyMine, includeComplete]);
    const learnedAt = before.settings === undefined || before.settings === settings ? undefined : before.at;
    const resources = await boardResources(config, { upstream, account, now, triggers: new Set() });
    const passed = new Map(learnedAt === undefined ? Object.entries(before.passed) : []);
    const boards = new Set(before.boards);
    const sightings: Sighting[] = [];
    const coming: number[] = [];
    // The first look may be late, as while the service was away; later ones meet boards that the account came to meanwhile.
    const learnt = (context.cursor === undefined ? since : now).getTime();
    for (const resource of resources) {
      const id = resource.slice('board/'.length);
      // All of a board that is younger than the trigger happened since.
      const isKnown = boards.has(id) || madeAt(id).getTime() >= Math.floor(since.getTime() / 1000) * 1000;
      const board = await readBoard(id, isKnown && learnedAt === undefined, upstream);
      if (board === undefined) continue;
      boards.add(id);
      for (const card of board.cards) {
        if (card.due === null) {
          passed.delete(card.id);
          continue;
        }
        const dated = { ...card, due: card.due };
        const moment = momentOf(dated.due, config.leadTime);
        if (passed.get(card.id) === dated.due) continue;
        passed.delete(card.id);
        const isOlder = learnedAt !== undefined && Math.max(moment, madeAt(card.id).getTime()) <= learnedAt;
        if (isOlder || (!isKnown && moment <= learnt)) passed.set(card.id, dated.due);
        else if (isMeant(dated, board, context) && Date.parse(dated.due) > now.getTime() - oldestMs) {
          if (moment > now.getTime()) coming.push(moment);
          else {
            const sighting = await remind(dated, board, context);
            if (sighting !== undefined) {
              passed.set(card.id, dated.due);
              sightings.push(sighting);
            }
          }
        }
      }
    }
    const kept = [...passed].filter(([, due]) => Date.parse(due) > now.getTime() - oldestMs);
    const next = Math.min(...coming);
    return {
      sightings,
      cursor: { boards: [...boards], passed: Object.fromEntries(kept), settings, at: now.getTime() },
      ...(Number.isFinite(next) ? { nextAt: new Date(next) } : {}),
    };
  },
  sample,
});
