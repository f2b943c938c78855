import type { Option } from '#kit';
import { quoted, spelled } from './words.ts';

type Called = { name?: string | undefined } | undefined;
type Notified = { type: string; data: { board?: Called; card?: Called } };

const said: Readonly<Record<string, (card: string, board: string) => string>> = {
  mentionedOnCard: (card) => `mentioned you on ${card}`,
  commentCard: (card) => `commented on ${card}`,
  changeCard: (card) => `changed ${card}`,
  createdCard: (card) => `created ${card}`,
  addedToCard: (card) => `added you to ${card}`,
  removedFromCard: (card) => `removed you from ${card}`,
  addedAttachmentToCard: (card) => `attached something to ${card}`,
  addedToBoard: (_, board) => `added you to the board ${board}`,
  invitedToBoard: (_, board) => `invited you to the board ${board}`,
  removedFromBoard: (_, board) => `removed you from the board ${board}`,
  makeAdminOfBoard: (_, board) => `made you an administrator of the board ${board}`,
  closeBoard: (_, board) => `closed the board ${board}`,
  reopenBoard: (_, board) => `reopened the board ${board}`,
};

/** Those that are known. The service has others at times: these can be typed. */
export const notificationTypeOptions: readonly Option[] = [...Object.keys(said), 'cardDueSoon'].map((value) => ({
  value,
  label: spelled(value).replace(/^./, (letter) => letter.toUpperCase()),
  hint: value,
}));

/** One plain line about a notification. */
export const notificationLine = ({ type, data: { board, card } }: Notified, who: string | undefined): string => {
  if (type === 'cardDueSoon') return `${quoted(card?.name, 'A card')} is due soon`;
  const line = said[type]?.(quoted(card?.name, 'a card'), quoted(board?.name, 'without a name'));
  if (line !== undefined) return `${who ?? 'Somebody'} ${line}`;
  const about = card?.name ?? board?.name;
  return `${who ?? 'The service'}: ${spelled(type)}${about === undefined ? '' : `, ${quoted(about, '')}`}`;
};
