import { z } from 'zod';
import { type LookContext, type Occurrence, path, type Sighting } from '#kit';
import { cardFields, summarize } from '../cards.ts';
import { unlessGone } from '../faults.ts';
import { milliseconds } from '../lead-time.ts';
import { Member } from '../shapes.ts';
import { Named } from './action.ts';
import { admitsNamed } from './config.ts';
import { short, shown, shownBoard } from './payload.ts';

type Config = { leadTime: string; lists: readonly string[]; onlyMine: boolean; includeComplete: boolean };
type Context = LookContext<Config>;
type Place = { list: Named & { closed: boolean }; board: { closed: boolean } };

/** A reminder whose moment has come. */
const Reminder = z.object({
  card: z.string(),
  due: z.string(),
  leadMs: z.number(),
});
export type Reminder = z.output<typeof Reminder>;

const Whole = z.looseObject({
  list: Named.extend({ closed: z.boolean() }),
  board: Named.extend({ shortLink: z.string().optional(), closed: z.boolean() }),
  members: z.array(Member),
});

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

/** The card as it is at this moment; a text says why its reminder no longer holds. */
export const readReminder = async (occurrence: Occurrence, context: Context): Promise<Sighting | string> => {
  const reminder = Reminder.parse(occurrence.body);
  const { upstream, config, now, pages } = context;
  const query = {
    fields: cardFields,
    list: true,
    list_fields: 'name,closed',
    board: true,
    board_fields: 'name,shortLink,closed',
    members: true,
    member_fields: 'username,fullName',
  };
  const read = await unlessGone(upstream.get(path`/1/cards/${reminder.card}`, { query }));
  if (read === undefined) return 'The card is gone.';
  const { list, board, members } = Whole.parse(read);
  const { idMembers, ...card } = summarize(read);
  if (card.due !== reminder.due) return 'The due date was changed.';
  if (!isMeant({ ...card, idMembers }, { list, board }, context)) return 'The card is no longer one to be reminded of.';
  const { body: _, ...known } = occurrence;
  return {
    ...known,
    event: {
      board: shownBoard(board, pages),
      list: shown(list),
      card: { ...card, members },
      dueAt: card.due,
      leadTime: config.leadTime,
      dueIn: Math.round((Date.parse(card.due) - now.getTime()) / 1000),
    },
    summary: `“${short(card.name)}” is due at ${card.due}`,
  };
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
