import type { Actor, Card, Member } from '../model.ts';
import type { World } from '../world.ts';
import { addMemberToCard } from './card-parts.ts';
import { copyChecklist } from './checklists.ts';
import { cardRef, listRef, record } from './record.ts';

export type KeepFromSource = 'all' | string[];

/** Brings labels, members, comments, checklists and attachments of one card to a fresh one. */
export const copyCardParts = (world: World, actor: Actor, source: Card, card: Card, keep: KeepFromSource): void => {
  const keeps = (part: string): boolean => keep === 'all' || keep.includes(part);
  if (keeps('labels') && card.idLabels.length === 0 && source.idBoard === card.idBoard)
    card.idLabels = [...source.idLabels];
  if (keeps('start') && card.start === null) card.start = source.start;
  if (keeps('members')) {
    for (const id of source.idMembers) addMemberToCard(world, actor, card, world.members.get(id) as Member);
  }
  if (keeps('comments')) copyComments(world, actor, source, card);
  if (keeps('attachments')) {
    for (const attachment of source.attachments) {
      const copy = { ...attachment, id: world.id() };
      const bytes = world.files.get(attachment.id);
      if (bytes) world.files.set(copy.id, bytes);
      card.attachments.push(copy);
    }
  }
  if (keeps('checklists')) {
    for (const id of source.idChecklists) {
      const checklist = world.checklists.get(id);
      if (checklist) copyChecklist(world, actor, card, checklist, { keepStates: true });
    }
  }
};

const copyComments = (world: World, actor: Actor, source: Card, card: Card): void => {
  const board = world.boards.get(card.idBoard);
  const list = world.lists.get(card.idList);
  const comments = (world.actionsOf.get(source.id) ?? []).filter(({ type }) => type === 'commentCard');
  for (const comment of comments) {
    card.comments += 1;
    // It keeps the original comment's date, so dates do not follow the order of ids.
    record(
      world,
      actor,
      'copyCommentCard',
      { board, card, lists: list ? [list] : [], date: comment.date },
      {
        text: comment.data['text'],
        idOriginalCommenter: comment.idMemberCreator,
        textData: { emoji: {} },
        card: cardRef(card),
        cardSource: cardRef(source),
        ...(list ? { list: listRef(list) } : {}),
      },
    );
  }
};
