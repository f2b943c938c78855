import type { Attachment, Card, CheckItem, Checklist, Label, List } from '../model.ts';
import { type Shape, show, shower, type Viewer } from './fields.ts';

const plain = /^[\x20-\x7e]*$/;

const slug = (name: string): string =>
  (plain.test(name) ? name : name.normalize('NFKD'))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);

export const pageUrl = (
  base: string,
  kind: 'b' | 'c',
  shortLink: string,
  tail: string | number,
  name: string,
): string => {
  const named = slug(name);
  const last = tail === '' || named === '' ? `${tail}${named}` : `${tail}-${named}`;
  return last === '' ? `${base}/${kind}/${shortLink}` : `${base}/${kind}/${shortLink}/${last}`;
};

const itemCounts = (card: Card, { world }: Viewer) => {
  let checkItems = 0;
  let checkItemsChecked = 0;
  let earliest: string | null = null;
  for (const id of card.idChecklists) {
    for (const { state, due } of world.checklists.get(id)?.checkItems ?? []) {
      checkItems += 1;
      if (state === 'complete') checkItemsChecked += 1;
      else if (due !== null && (earliest === null || due < earliest)) earliest = due;
    }
  }
  return { checkItems, checkItemsChecked, checkItemsEarliestDue: earliest };
};

const linked = (card: Card, pattern: RegExp): number => card.attachments.filter(({ url }) => pattern.test(url)).length;

const badges = (card: Card, viewer: Viewer) => ({
  attachmentsByType: {
    trello: { board: linked(card, /\/b\/[A-Za-z0-9]{8}/), card: linked(card, /\/c\/[A-Za-z0-9]{8}/) },
  },
  externalSource: null,
  location: card.coordinates !== null || card.address !== null,
  votes: card.idMembersVoted.length,
  viewingMemberVoted: viewer.idMember !== null && card.idMembersVoted.includes(viewer.idMember),
  subscribed: viewer.idMember !== null && card.subscribers.includes(viewer.idMember),
  attachments: card.attachments.length,
  fogbugz: '',
  ...itemCounts(card, viewer),
  comments: card.comments,
  description: card.desc !== '',
  due: card.due,
  dueComplete: card.dueComplete,
  lastUpdatedByAi: false,
  start: card.start,
});

const checkItemStates = (card: Card, { world }: Viewer) =>
  card.idChecklists.flatMap((id) =>
    (world.checklists.get(id)?.checkItems ?? [])
      .filter(({ state }) => state === 'complete')
      .map(({ id: idCheckItem, state }) => ({ idCheckItem, state })),
  );

export const labelShape: Shape<Label> = {
  id: ({ id }) => id,
  idBoard: ({ idBoard }) => idBoard,
  idOrganization: ({ idBoard }, { world }) => world.boards.get(idBoard)?.idOrganization ?? null,
  nodeId: ({ id, idBoard }) => `ari:cloud:trello::label/board/${idBoard}/${id}`,
  name: ({ name }) => name,
  color: ({ color }) => color,
  uses: ({ id, idBoard }, { world }) => {
    let uses = 0;
    for (const list of world.listsIn(idBoard)) {
      for (const card of world.cardsIn(list.id)) if (card.idLabels.includes(id)) uses += 1;
    }
    return uses;
  },
};
const labelOnCard = ['idBoard', 'idOrganization', 'name', 'nodeId', 'color'];

const cardLabels = (card: Card, viewer: Viewer) =>
  card.idLabels
    .map((id) => viewer.world.labels.get(id))
    .filter((label) => label !== undefined)
    // Counting uses means a walk over the board, so cards leave the count out.
    .map((label) => show(labelShape, label, labelOnCard, viewer));

export const cardShape: Shape<Card> = {
  id: ({ id }) => id,
  address: ({ address }) => address,
  badges,
  cardRole: ({ cardRole }) => cardRole,
  checkItemStates,
  closed: ({ closed }) => closed,
  coordinates: ({ coordinates }) => coordinates,
  cover: ({ cover }) => cover,
  creationMethod: () => null,
  dateLastActivity: ({ dateLastActivity }) => dateLastActivity,
  desc: ({ desc }) => desc,
  descData: () => ({ emoji: {} }),
  due: ({ due }) => due,
  dueComplete: ({ dueComplete }) => dueComplete,
  dueReminder: ({ dueReminder }) => dueReminder,
  idAttachmentCover: ({ idAttachmentCover }) => idAttachmentCover,
  idBoard: ({ idBoard }) => idBoard,
  idChecklists: ({ idChecklists }) => idChecklists,
  idLabels: ({ idLabels }) => idLabels,
  idList: ({ idList }) => idList,
  idMembers: ({ idMembers }) => idMembers,
  idMembersVoted: ({ idMembersVoted }) => idMembersVoted,
  idShort: ({ idShort }) => idShort,
  isTemplate: () => false,
  labels: cardLabels,
  locationName: ({ locationName }) => locationName,
  manualCoverAttachment: ({ manualCoverAttachment }) => manualCoverAttachment,
  mirrorSourceId: () => null,
  name: ({ name }) => name,
  nodeId: ({ id, idBoard }) => `ari:cloud:trello::card/board/${idBoard}/${id}`,
  pinned: () => false,
  pos: ({ pos }) => pos,
  shortLink: ({ shortLink }) => shortLink,
  shortUrl: ({ shortLink }, { world }) => `${world.baseUrl}/c/${shortLink}`,
  start: ({ start }) => start,
  subscribed: ({ subscribers }, { idMember }) => idMember !== null && subscribers.includes(idMember),
  url: ({ shortLink, idShort, name }, { world }) => pageUrl(world.baseUrl, 'c', shortLink, idShort, name),
};

/** As in a list of cards, where an empty checkItemStates is null. */
export const bulkCardShape: Shape<Card> = {
  ...cardShape,
  checkItemStates: (card, viewer) => {
    const states = card.idChecklists.length === 0 ? [] : checkItemStates(card, viewer);
    return states.length === 0 ? null : states;
  },
};

/** As when asked for by itself, where the address to mail to is told. */
export const singleCardShape: Shape<Card> = {
  ...cardShape,
  email: ({ shortLink }, { idMember }) => (idMember === null ? null : `card+${shortLink.toLowerCase()}@sandbox.test`),
  limits: () => ({}),
};
/** `limits` is told only when named. */
export const singleCardFields = Object.keys(singleCardShape).filter((name) => name !== 'limits');
export const showSingleCard = shower(singleCardShape, singleCardFields);

/** A card just made also tells its attachments, stickers and limits. */
export const showFreshCard = shower<Card>(
  {
    ...singleCardShape,
    attachments: ({ attachments }, viewer) => attachments.map((one) => show(attachmentShape, one, 'all', viewer)),
    stickers: () => [],
  },
  [...singleCardFields, 'attachments', 'stickers', 'limits'],
);

export const listShape: Shape<List> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  closed: ({ closed }) => closed,
  color: ({ color }) => color,
  idBoard: ({ idBoard }) => idBoard,
  pos: ({ pos }) => pos,
  subscribed: ({ subscribers }, { idMember }) => idMember !== null && subscribers.includes(idMember),
  softLimit: () => null,
  type: () => null,
  datasource: () => ({ filter: false }),
};
export const listBasics = ['id', 'name', 'closed', 'color', 'idBoard', 'pos', 'type', 'datasource'];

export const checkItemShape: Shape<CheckItem> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  nameData: () => ({ emoji: {} }),
  pos: ({ pos }) => pos,
  state: ({ state }) => state,
  due: ({ due }) => due,
  dueReminder: ({ dueReminder }) => dueReminder,
  idMember: ({ idMember }) => idMember,
  idChecklist: ({ idChecklist }) => idChecklist,
};

export const checklistShape: Shape<Checklist> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  idBoard: ({ idBoard }) => idBoard,
  idCard: ({ idCard }) => idCard,
  pos: ({ pos }) => pos,
  checkItems: ({ checkItems }, viewer) => checkItems.map((item) => show(checkItemShape, item, 'all', viewer)),
};

export const attachmentShape: Shape<Attachment> = {
  id: ({ id }) => id,
  bytes: ({ bytes }) => bytes,
  date: ({ date }) => date,
  edgeColor: () => null,
  idMember: ({ idMember }) => idMember,
  isUpload: ({ isUpload }) => isUpload,
  mimeType: ({ mimeType }) => mimeType,
  name: ({ name }) => name,
  previews: () => [],
  url: ({ url }) => url,
  pos: ({ pos }) => pos,
  fileName: ({ fileName, name }) => fileName ?? name,
};
