import type { Action, Actor, Attachment, Board, Card, Label, Member } from '../model.ts';
import { posFor } from '../positions.ts';
import { notFound, plain } from '../refusal.ts';
import type { World } from '../world.ts';
import { cardRef, listRef, notify, record } from './record.ts';

const place = (world: World, card: Card) => {
  const list = world.lists.get(card.idList);
  return { board: world.boards.get(card.idBoard), card, lists: list ? [list] : [] };
};
const listOfCard = (world: World, card: Card) => {
  const list = world.lists.get(card.idList);
  return list ? { list: listRef(list) } : {};
};

const labelRef = ({ id, name, color }: Label) => (color === null ? { id, name } : { id, name, color });
const labelData = (card: Card, label: Label) => ({
  card: cardRef(card),
  label: labelRef(label),
  text: label.name,
  ...(label.color === null ? {} : { value: label.color }),
});

export const addLabelToCard = (world: World, actor: Actor, card: Card, label: Label): void => {
  if (card.idLabels.includes(label.id)) throw plain(400, 'that label is already on the card');
  card.idLabels.push(label.id);
  record(world, actor, 'addLabelToCard', place(world, card), labelData(card, label));
};

export const removeLabelFromCard = (world: World, actor: Actor, card: Card, idLabel: string): void => {
  const label = world.labels.get(idLabel);
  if (!label || !card.idLabels.includes(idLabel)) throw plain(400, 'that label is not on the card');
  card.idLabels = card.idLabels.filter((id) => id !== idLabel);
  record(world, actor, 'removeLabelFromCard', place(world, card), labelData(card, label));
};

const memberRef = ({ id, fullName }: Member) => ({ id, name: fullName });

export const addMemberToCard = (
  world: World,
  actor: Actor,
  card: Card,
  member: Member,
  { fromCopy = false } = {},
): void => {
  if (!fromCopy) {
    if (card.idMembers.includes(member.id)) throw plain(400, 'member is already on the card');
    card.idMembers.push(member.id);
  }
  const data = { card: cardRef(card), idMember: member.id, member: memberRef(member) };
  const about = { ...place(world, card), member };
  const action = record(world, actor, 'addMemberToCard', about, fromCopy ? { ...data, fromCopy } : data);
  if (!fromCopy) notify(world, action, [member.id], 'addedToCard', action.data);
};

export const removeMemberFromCard = (world: World, actor: Actor, card: Card, idMember: string): void => {
  const member = world.members.get(idMember);
  if (!member || !card.idMembers.includes(idMember)) throw plain(400, 'member is not on the card');
  card.idMembers = card.idMembers.filter((id) => id !== idMember);
  const action = record(
    world,
    actor,
    'removeMemberFromCard',
    { ...place(world, card), member },
    {
      card: cardRef(card),
      idMember,
      member: memberRef(member),
      deactivated: false,
    },
  );
  notify(world, action, [idMember], 'removedFromCard', action.data);
};

export const voteOnCard = (world: World, actor: Actor, card: Card, member: Member): void => {
  if (card.idMembersVoted.includes(member.id)) throw plain(400, 'member has already voted on the card');
  card.idMembersVoted.push(member.id);
  record(world, actor, 'voteOnCard', place(world, card), { card: cardRef(card), voted: true });
};

export const commentOnCard = (world: World, actor: Actor, card: Card, text: string): Action => {
  card.comments += 1;
  const action = record(world, actor, 'commentCard', place(world, card), {
    text,
    textData: { emoji: {} },
    card: cardRef(card),
    ...listOfCard(world, card),
  });
  const named = new Set(
    [...text.matchAll(/@([\w.-]+)/g)].map(([, name]) => world.byUsername.get(name ?? '')?.id ?? ''),
  );
  const board = world.boards.get(card.idBoard) as Board;
  const mentioned = board.memberships.map(({ idMember }) => idMember).filter((id) => named.has(id));
  notify(world, action, mentioned, 'mentionedOnCard', action.data);
  const others = [...card.idMembers, ...card.subscribers].filter((id) => !mentioned.includes(id));
  notify(world, action, others, 'commentCard', action.data);
  return action;
};

const cardOfAction = (world: World, action: Action): Card => {
  const card = world.cards.get(action.idCard ?? '');
  if (!card) throw notFound();
  return card;
};

export const editComment = (world: World, actor: Actor, action: Action, text: string): Action => {
  const card = cardOfAction(world, action);
  const old = action.data['text'];
  action.data = { ...action.data, text, dateLastEdited: world.date() };
  record(world, actor, 'updateComment', place(world, card), {
    card: cardRef(card),
    action: { id: action.id, text },
    old: { text: old },
  });
  return action;
};

export const deleteComment = (world: World, actor: Actor, action: Action): void => {
  const card = cardOfAction(world, action);
  card.comments -= 1;
  world.dropAction(action);
  record(world, actor, 'deleteComment', place(world, card), { card: cardRef(card), action: { id: action.id } });
};

export type NewAttachment = {
  name: string;
  mimeType: string;
  url?: string;
  file?: { bytes: Uint8Array; name: string };
};

const isImage = ({ mimeType }: Attachment): boolean => mimeType.startsWith('image/');

export const addAttachment = (world: World, actor: Actor, card: Card, wanted: NewAttachment): Attachment => {
  const id = world.id();
  const fileName = wanted.file ? wanted.file.name.replace(/[^\w.-]+/g, '_') : null;
  const attachment: Attachment = {
    id,
    bytes: wanted.file?.bytes.length ?? null,
    date: world.date(),
    edgeColor: null,
    idMember: actor.member.id,
    isUpload: wanted.file !== undefined,
    mimeType: wanted.mimeType,
    name: wanted.name,
    fileName,
    url: wanted.url ?? `${world.baseUrl}/1/cards/${card.id}/attachments/${id}/download/${fileName}`,
    pos: posFor(card.attachments, 'bottom'),
  };
  card.attachments.push(attachment);
  if (wanted.file) world.files.set(id, wanted.file.bytes);
  const { name, url } = attachment;
  const seen = isImage(attachment) ? { previewUrl: url } : {};
  // The list is absent in every recorded sample.
  const about = place(world, card);
  record(world, actor, 'addAttachmentToCard', about, { card: cardRef(card), attachment: { id, name, url, ...seen } });
  return attachment;
};

export const deleteAttachment = (world: World, actor: Actor, card: Card, attachment: Attachment): void => {
  card.attachments = card.attachments.filter((other) => other !== attachment);
  world.files.delete(attachment.id);
  if (card.idAttachmentCover === attachment.id) {
    card.idAttachmentCover = null;
    card.cover = { ...card.cover, idAttachment: null };
  }
  const { id, name } = attachment;
  record(world, actor, 'deleteAttachmentFromCard', place(world, card), {
    card: cardRef(card),
    attachment: { id, name },
  });
};
