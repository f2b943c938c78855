import { z } from 'zod';
import { definePollTrigger, Fault, type LookContext, path, type Sighting, type Unread, type WatchContext } from '#kit';
import { unlessGone } from '../faults.ts';
import { LeadTime, milliseconds } from '../lead-time.ts';
import { toRead } from '../scopes.ts';
import { madeAt } from '../shapes.ts';
import { Named } from './action.ts';
import sample from './card-due-reminder.sample.json' with { type: 'json' };
import { boardResources, common, lists, settleBoards } from './config.ts';
import { isMeant, momentOf, type Reminder, readAgain, readReminder, reminderOf } from './due-card.ts';
import { BoardView, CardView, ListView } from './payload.ts';

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
  /** When each board was seen last. */
  seen: z.record(z.string(), z.number()).default({}),
  /** What the chosen boards were called then. */
  names: z.record(z.string(), z.string()).default({}),
});

const Card = z.object({
  id: z.string(),
  due: z.string().nullable(),
  dueComplete: z.boolean(),
  closed: z.boolean(),
  idList: z.string(),
  idMembers: z.array(z.string()),
});

const Board = Named.extend({
  shortLink: z.string().optional(),
  closed: z.boolean(),
  // One of a shape that nobody knows is left out rather than in the way of all others.
  cards: z.array(z.unknown()).transform((all) => all.flatMap((each) => Card.safeParse(each).data ?? [])),
  lists: z.array(Named),
});

/** A reminder that is this late reminds nobody; older ones need not be remembered. */
const oldestMs = 30 * 86_400_000;

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

/** What is the matter with one card, rather than with all that is asked for: others are not held back by it. */
const isOfCard = (error: unknown): boolean =>
  error instanceof z.ZodError || (error instanceof Fault && ofCard.has(error.code));
const ofCard = new Set(['upstream_unavailable', 'upstream_rejected', 'invalid_input', 'conflict']);

/** `undefined`: it changed while its board was looked through, and is looked at once more. */
const see = async (reminder: Reminder, context: LookContext<Config>): Promise<Sighting | Unread | undefined> => {
  const occurrence = reminderOf(reminder);
  try {
    const found = await readReminder(occurrence, context);
    return typeof found === 'string' ? undefined : found;
  } catch (error) {
    if (!isOfCard(error)) throw error;
    return { occurrence, error };
  }
};

/** What of the boards is so that nothing on them reminds, and what is to be done. */
const stillness = (names: readonly string[], one: string, many: string, remedy: (them: string) => string): string[] => {
  if (names.length === 0) return [];
  const [what, them] = names.length === 1 ? ['The board', 'it'] : ['The boards', 'them'];
  const are = names.length === 1 ? one : many;
  return [`${what} ${names.join(', ')} ${are}, so nothing on ${them} reminds; ${remedy(them)}choose another one.`];
};

const hindranceOf = (closed: readonly string[], gone: readonly string[]): string | undefined => {
  const hidden = 'deleted, or the account may not see';
  const all = [
    ...stillness(closed, 'is closed', 'are closed', (them) => `reopen ${them}, or `),
    ...stillness(gone, `was ${hidden} it any more`, `were ${hidden} them any more`, () => ''),
  ];
  return all.length === 0 ? undefined : all.join(' ');
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
  read: readAgain,
  look: async (context) => {
    const { upstream, account, config, since, now } = context;
    const before = Cursor.safeParse(context.cursor).data ?? { boards: [], passed: {}, seen: {}, names: {} };
    const { lists: within, onlyMine, includeComplete } = config;
    const leadMs = milliseconds(config.leadTime);
    const settings = JSON.stringify([leadMs, within, onlyMine, includeComplete]);
    // A clock that was ahead for a look, and is right again, has told nothing of what is still to come.
    const lookedAt = before.at === undefined ? undefined : Math.min(before.at, now.getTime());
    const learnedAt = before.settings === undefined || before.settings === settings ? undefined : lookedAt;
    const resources = await boardResources(config, { upstream, account, now, triggers: new Set() });
    const passed = new Map(learnedAt === undefined ? Object.entries(before.passed) : []);
    const boards = new Set(before.boards);
    const seen = { ...before.seen };
    const sightings: Sighting[] = [];
    const unread: Unread[] = [];
    const coming: number[] = [];
    const closed: string[] = [];
    const gone: string[] = [];
    const isChosen = config.boards.length > 0;
    const names: Record<string, string> = {};
    // The first look may be late, as while the service was away; later ones meet boards that the account came to meanwhile.
    const learnt = (context.cursor === undefined ? since : now).getTime();
    for (const resource of resources) {
      const id = resource.slice('board/'.length);
      // All of a board that is younger than the trigger happened since.
      const isKnown = boards.has(id) || madeAt(id).getTime() >= Math.floor(since.getTime() / 1000) * 1000;
      const board = await readBoard(id, isKnown && learnedAt === undefined, upstream);
      const name = board?.name ?? before.names[id];
      if (isChosen && name !== undefined) names[id] = name;
      if (board === undefined) {
        // Of all boards one that went meanwhile is missed by nobody.
        if (isChosen) gone.push(name === undefined ? id : `“${name}”`);
        continue;
      }
      if (board.closed) closed.push(`“${board.name}”`);
      boards.add(id);
      seen[id] = now.getTime();
      for (const card of board.cards) {
        if (card.due === null) {
          passed.delete(card.id);
          continue;
        }
        const { due } = card;
        const moment = momentOf(due, leadMs);
        if (passed.get(card.id) === due) continue;
        passed.delete(card.id);
        const isOlder = learnedAt !== undefined && Math.max(moment, madeAt(card.id).getTime()) <= learnedAt;
        if (isOlder || (!isKnown && moment <= learnt)) passed.set(card.id, due);
        const list = board.lists.find((each) => each.id === card.idList);
        const isMeantNow = list !== undefined && isMeant(card, { list: { ...list, closed: false }, board }, context);
        if (passed.has(card.id) || !isMeantNow || Date.parse(due) <= now.getTime() - oldestMs) continue;
        if (moment > now.getTime()) {
          coming.push(moment);
          continue;
        }
        const passedBy = before.seen[id];
        const isLate = passedBy !== undefined && moment <= passedBy && passedBy <= now.getTime();
        const found = await see({ card: card.id, due, leadMs, ...(isLate ? { passedBy } : {}) }, context);
        if (found === undefined) continue;
        passed.set(card.id, due);
        if ('error' in found) unread.push(found);
        else sightings.push(found);
      }
    }
    const kept = [...passed].filter(([, due]) => Date.parse(due) > now.getTime() - oldestMs);
    const next = Math.min(...coming);
    return {
      sightings,
      unread,
      cursor: { boards: [...boards], passed: Object.fromEntries(kept), settings, at: now.getTime(), seen, names },
      hindrance: hindranceOf(closed, gone),
      ...(Number.isFinite(next) ? { nextAt: new Date(next) } : {}),
    };
  },
  sample,
});
