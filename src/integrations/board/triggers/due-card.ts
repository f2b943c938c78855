import { z } from 'zod';
import { type LookContext, type Occurrence, path, type Sighting } from '#kit';
import { cardFields, summarize } from '../cards.ts';
import { unlessGone } from '../faults.ts';
import { milliseconds } from '../lead-time.ts';
import { Member, madeAt } from '../shapes.ts';
import { Named } from './action.ts';
import { admitsNamed } from './config.ts';
import { short, shown, shownBoard } from './payload.ts';

type Config = { leadTime: string; lists: readonly string[]; onlyMine: boolean; includeComplete: boolean };
type Context = LookContext<Config>;
type Place = { list: Named & { closed: boolean }; board: { closed: boolean } };

/** A reminder whose moment has come. `passedBy`: when it was last seen that its card was not to be reminded of. */
const Reminder = z.object({
  card: z.string(),
  due: z.string(),
  leadMs: z.number(),
  passedBy: z.number().optional(),
});
export type Reminder = z.output<typeof Reminder>;

const Whole = z.looseObject({
  list: Named.extend({ closed: z.boolean() }),
  board: Named.extend({ shortLink: z.string().optional(), closed: z.boolean() }),
  members: z.array(Member),
});

const Change = z.object({
  id: z.string(),
  data: z.object({ old: z.object({ closed: z.boolean(), dueComplete: z.boolean(), due: z.unknown() }).partial() }),
});
type Change = z.output<typeof Change>;
const History = z.object({ actions: z.array(z.unknown()).default([]) });

export const momentOf = (due: string, leadMs: number): number => Date.parse(due) - leadMs;

export const isMeant = (
  card: { closed: boolean; dueComplete: boolean; idMembers: readonly string[] },
  { list, board }: Place,
  { config, account }: Pick<Context, 'config' | 'account'>,
): boolean =>
  !list.closed &&
  !board.closed &&
  !card.closed &&
  (config.includeComplete || !card.dueComplete) &&
  admitsNamed(config.lists, [list]) &&
  (!config.onlyMine || card.idMembers.includes(account.identity.id));

/** What a look finds, and what is kept of it where its card cannot be read now. */
export const reminderOf = (reminder: Reminder): Occurrence => {
  const { card, due, leadMs } = reminder;
  return {
    key: `${card} ${due} ${leadMs}`,
    order: due,
    subject: card,
    at: new Date(momentOf(due, leadMs)),
    body: reminder,
  };
};

// The service's clock and ours may differ, and what is in doubt reminds.
const doubtMs = 5 * 60_000;

/** Its moment passed and it was not told, although it was due then already: why not. `undefined`: it has been so only since. */
const heldBackBy = (
  { card, due, leadMs, passedBy = 0 }: Reminder,
  changes: readonly Change[],
  includeComplete: boolean,
): string | undefined => {
  const dated = changes.find(({ data }) => 'due' in data.old);
  const since = madeAt(dated?.id ?? card).getTime();
  const moment = momentOf(due, leadMs);
  if (since > Math.max(moment, passedBy - doubtMs)) return undefined;
  const undone = changes.find(
    ({ id, data: { old } }) =>
      madeAt(id).getTime() >= moment - doubtMs &&
      (old.closed === true || (old.dueComplete === true && !includeComplete)),
  );
  if (undone === undefined) return 'not among those to be reminded of';
  return undone.data.old.closed === true ? 'archived' : 'marked as done';
};

/** The card as it is at this moment; a text says why its reminder no longer holds. */
export const readReminder = async (occurrence: Occurrence, context: Context): Promise<Sighting | string> => {
  const reminder = Reminder.parse(occurrence.body);
  const { upstream, config, now, pages } = context;
  const isOverdue = Date.parse(reminder.due) <= now.getTime();
  const query = {
    fields: cardFields,
    list: true,
    list_fields: 'name,closed',
    board: true,
    board_fields: 'name,shortLink,closed',
    members: true,
    member_fields: 'username,fullName',
    ...(isOverdue && reminder.passedBy !== undefined
      ? { actions: 'updateCard:due,updateCard:dueComplete,updateCard:closed', actions_limit: 100 }
      : {}),
  };
  const read = await unlessGone(upstream.get(path`/1/cards/${reminder.card}`, { query }));
  if (read === undefined) return 'The card is gone.';
  const { list, board, members } = Whole.parse(read);
  const { idMembers, ...card } = summarize(read);
  if (card.due !== reminder.due) return 'The due date was changed.';
  if (!isMeant({ ...card, idMembers }, { list, board }, context)) return 'The card is no longer one to be reminded of.';
  const { body: _, ...known } = occurrence;
  const sighting = {
    ...known,
    event: {
      board: shownBoard(board, pages),
      list: shown(list),
      card: { ...card, members },
      dueAt: card.due,
      leadTime: config.leadTime,
      dueIn: Math.round((Date.parse(card.due) - now.getTime()) / 1000),
    },
    summary: `“${short(card.name)}” ${isOverdue ? 'was' : 'is'} due at ${card.due}`,
  };
  if (!isOverdue || reminder.passedBy === undefined) return sighting;
  const changes = History.parse(read).actions.flatMap((each) => Change.safeParse(each).data ?? []);
  const state = heldBackBy(reminder, changes, config.includeComplete);
  if (state === undefined) return sighting;
  const reason = `The card was ${state} when the moment of this reminder came, and by now it is overdue.`;
  return { ...sighting, judgement: { outcome: 'skipped', reason } };
};

/** Tries again what a look could not read. */
export const readAgain = async (occurrence: Occurrence, context: Context): Promise<Sighting> => {
  const { leadMs, due } = Reminder.parse(occurrence.body);
  const found =
    leadMs === milliseconds(context.config.leadTime)
      ? await readReminder(occurrence, context)
      : 'The trigger reminds at another time now.';
  if (typeof found !== 'string') return found;
  const { body: _, ...known } = occurrence;
  return {
    ...known,
    event: null,
    summary: `A card that was due at ${due}`,
    judgement: { outcome: 'skipped', reason: found },
  };
};
