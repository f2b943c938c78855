import { z } from 'zod';
import { setsCustomField } from './custom-values.ts';
import {
  type Asked,
  any,
  at,
  both,
  type Data,
  type Explains,
  Fields,
  made,
  namesOf,
  partId,
  places,
  sameName,
  sameText,
  setsField,
  setsMembership,
  text,
  thing,
} from './explaining.ts';
import { isAtBirth } from './placing.ts';

const memberId = ({ data }: Asked): string | undefined =>
  [data['idMember'], data['idMemberAdded'], thing(data, 'member')?.id].find((id) => typeof id === 'string');

/** The service takes either way of saying so; `undefined`: nothing is said. */
const isTicked = (state: unknown): boolean | undefined =>
  state === undefined ? undefined : ['complete', 'true'].includes(text(state));

const putsCard = at('PUT', 'cards/:card');

const createdCard = both(
  at('POST', 'cards'),
  made(
    partId('card'),
    ({ data, sent }) =>
      (data.list === undefined || sent['idList'] === data.list.id) && sameName('card')({ data, sent } as Asked),
  ),
);

/** A part of a new card is told as an action of its own, before or after the card. */
const makesCard = both(
  createdCard,
  ({ action, data }) => action.told !== undefined || (data.card !== undefined && isAtBirth(action.id, data.card.id)),
);
const attachesSource: Explains = ({ sent }) => (sent['urlSource'] ?? sent['fileSource']) !== undefined;

const commentId = ({ action }: Asked): string => action.id;

const Covered = z.object({
  idAttachmentCover: z.string().nullish(),
  cover: z.object({ idAttachment: z.string().nullish() }).nullish(),
});

/** The attachment that became the cover of a card. */
export const coverOf = (data: Data): string | undefined => {
  const { idAttachmentCover, cover } = Covered.safeParse(data['card']).data ?? {};
  return idAttachmentCover ?? cover?.idAttachment ?? undefined;
};

const attachesCover = both(
  at('POST', 'cards/:card/attachments'),
  made(
    ({ data }) => coverOf(data),
    ({ data, sent }) => coverOf(data) !== undefined && text(sent['setCover']) === 'true',
  ),
);

const wentTo = (data: Data) => ({
  board: thing(data, 'boardTarget')?.id ?? data.board?.id,
  list: thing(data, 'listAfter')?.id ?? (data['boardTarget'] === undefined ? data.list?.id : undefined),
});

/** Where a card goes to, if the board is told by its own address or not at all. */
const moves: Explains = ({ data, sent, path }) => {
  const { board, list } = wentTo(data);
  const idBoard = path.endsWith('/idBoard') ? sent['value'] : sent['idBoard'];
  if (idBoard !== undefined) return idBoard === board;
  return sent['idList'] !== undefined && (list === undefined || sent['idList'] === list);
};

/** Of a card that is gone to another board, no short link is told; the answer to the request told its id. */
const putsThisCard: Explains = ({ write, path, data }) =>
  write.method === 'PUT' &&
  /^\/1\/cards\/\w+(?:\/idBoard)?$/.test(path) &&
  write.upstreamId !== null &&
  write.upstreamId === thing(data, 'card')?.id;

const ofList = (list: string, action: string, data: Data): string[] =>
  namesOf(data, list).map((id) => `/1/lists/${id}/${action}`);

/** All cards of a list at once; which list was left is not told on the board that they came to. */
const movesAll =
  (left?: 'list' | 'listBefore'): Explains =>
  (asked) =>
    asked.write.method === 'POST' &&
    (left === undefined
      ? /^\/1\/lists\/\w+\/moveAllCards$/.test(asked.path)
      : ofList(left, 'moveAllCards', asked.data).includes(asked.path)) &&
    moves(asked);
const archivesAll: Explains = ({ data, write, path }) =>
  write.method === 'POST' &&
  ofList('list', 'archiveAllCards', data).includes(path) &&
  Fields.safeParse(data['card']).data?.['closed'] === true;

const movesList: Explains = both(
  at('PUT', 'lists/:list', 'lists/:list/idBoard'),
  ({ data, sent, path }) => sent[path.endsWith('/idBoard') ? 'value' : 'idBoard'] === wentTo(data).board,
);

/** The workspace that a board is put into; empty for none. */
const workspaceOf = (asked: Asked): string | undefined => {
  const { sent, path } = asked;
  if (!at('PUT', 'boards/:board', 'boards/:board/idOrganization')(asked)) return undefined;
  const given = sent[path.endsWith('/idOrganization') ? 'value' : 'idOrganization'];
  return given === undefined ? undefined : text(given);
};

/** What a board is like besides name, description and being closed is set in too many ways to compare. */
const isSetting: Explains = ({ data }) =>
  Object.values(Fields.safeParse(data['old']).data ?? {}).every((before) => typeof before === 'object');

/** A notification of it tells no more than the board. */
const setsClosed =
  (closed: boolean): Explains =>
  (asked) =>
    at('PUT', 'boards/:board', 'boards/:board/closed')(asked) &&
    sameText(asked.sent[asked.path.endsWith('/closed') ? 'value' : 'closed'], closed);

const changesRole: Explains = ({ data, write, path }) =>
  write.method === 'PUT' &&
  places(data, 'boards/:board').some(
    (board) => /^\/member(?:ship)?s(?:\/|$)/.test(path.slice(board.length)) && path.startsWith(board),
  );

/** Which writes of ours can be behind an action of each type. */
export const explanations: Readonly<Partial<Record<string, Explains>>> = {
  createCard: createdCard,
  copyCard: createdCard,
  convertToCardFromCheckItem: both(
    ({ write, path }) =>
      write.method === 'POST' && /^\/1\/(?:cards|checklists)\/.+\/checkItems?\/\w+\/convertToCard$/.test(path),
    made(partId('card'), ({ data, path }) =>
      ['cardSource', 'checklist'].some((name) => namesOf(data, name).some((id) => path.includes(`/${id}/`))),
    ),
  ),
  updateCard: any(
    both(
      any(
        putsCard,
        ({ write, path, data }) =>
          write.method === 'PUT' && places(data, 'cards/:card').some((card) => path.startsWith(`${card}/`)),
      ),
      setsField('card'),
    ),
    both(
      makesCard,
      any(
        both(({ data }) => coverOf(data) !== undefined, attachesSource),
        setsField('card'),
      ),
    ),
    attachesCover,
    movesAll('listBefore'),
    archivesAll,
  ),
  deleteCard: at('DELETE', 'cards/:card'),
  moveCardToBoard: any(both(any(putsCard, at('PUT', 'cards/:card/idBoard')), moves), movesAll()),
  moveCardFromBoard: any(both(any(putsCard, at('PUT', 'cards/:card/idBoard'), putsThisCard), moves), movesAll('list')),
  commentCard: both(
    at('POST', 'cards/:card/actions/comments'),
    made(commentId, ({ data, sent }) => sameText(data['text'], sent['text'])),
  ),
  updateComment: both(
    at('PUT', 'cards/:card/actions/:action/comments', 'actions/:action', 'actions/:action/text'),
    ({ data, sent }) => sameText(sent['text'] ?? sent['value'], Fields.safeParse(data['action']).data?.['text']),
  ),
  deleteComment: at('DELETE', 'cards/:card/actions/:action/comments', 'actions/:action'),
  addMemberToCard: any(
    both(at('POST', 'cards/:card/idMembers'), (asked) => asked.sent['value'] === memberId(asked)),
    both(any(putsCard, makesCard, at('PUT', 'cards/:card/idMembers')), setsMembership('idMembers', memberId, true)),
  ),
  removeMemberFromCard: any(
    (asked) => at('DELETE', `cards/:card/idMembers/${memberId(asked) ?? ''}`)(asked),
    both(any(putsCard, at('PUT', 'cards/:card/idMembers')), setsMembership('idMembers', memberId, false)),
  ),
  addLabelToCard: any(
    both(at('POST', 'cards/:card/idLabels'), (asked) => asked.sent['value'] === partId('label')(asked)),
    both(at('POST', 'cards/:card/labels'), made(partId('label'), sameName('label'))),
    both(
      any(putsCard, makesCard, at('PUT', 'cards/:card/idLabels')),
      setsMembership('idLabels', partId('label'), true),
    ),
  ),
  removeLabelFromCard: any(
    at('DELETE', 'cards/:card/idLabels/:label'),
    both(any(putsCard, at('PUT', 'cards/:card/idLabels')), setsMembership('idLabels', partId('label'), false)),
  ),
  createLabel: any(
    both(at('POST', 'labels', 'boards/:board/labels'), made(partId('label'), sameName('label'))),
    // The card that it is made for is not told.
    both(
      ({ write, path }) => write.method === 'POST' && /^\/1\/cards\/\w+\/labels$/.test(path),
      made(partId('label'), sameName('label')),
    ),
  ),
  updateLabel: both(at('PUT', 'labels/:label', 'labels/:label/name', 'labels/:label/color'), setsField('label')),
  deleteLabel: at('DELETE', 'labels/:label'),
  addChecklistToCard: both(
    any(
      at('POST', 'cards/:card/checklists'),
      both(at('POST', 'checklists'), ({ data, sent }) => namesOf(data, 'card').includes(text(sent['idCard']))),
    ),
    made(partId('checklist'), sameName('checklist')),
  ),
  copyChecklist: made(
    partId('checklist'),
    ({ write, data, sent }) =>
      write.method === 'POST' && sent['idChecklistSource'] === thing(data, 'checklistSource')?.id,
  ),
  updateChecklist: both(at('PUT', 'checklists/:checklist', 'checklists/:checklist/name'), setsField('checklist')),
  voteOnCard: ({ data, sent, write, path, action }) =>
    places(data, 'cards/:card/membersVoted').some((votes) =>
      data['voted'] === false
        ? write.method === 'DELETE' && path.startsWith(`${votes}/`)
        : write.method === 'POST' && path === votes && sent['value'] === (action.idMemberCreator ?? sent['value']),
    ),
  removeChecklistFromCard: at('DELETE', 'checklists/:checklist', 'cards/:card/checklists/:checklist'),
  createCheckItem: both(
    at('POST', 'checklists/:checklist/checkItems', 'cards/:card/checklist/:checklist/checkItem'),
    made(partId('checkItem'), sameName('checkItem')),
  ),
  updateCheckItem: both(
    at('PUT', 'cards/:card/checkItem/:checkItem', 'cards/:card/checklist/:checklist/checkItem/:checkItem'),
    any(setsField('checkItem'), ({ data }) => data['old'] === undefined),
  ),
  updateCheckItemStateOnCard: both(
    at('PUT', 'cards/:card/checkItem/:checkItem', 'cards/:card/checklist/:checklist/checkItem/:checkItem'),
    ({ data, sent }) => isTicked(sent['state']) === isTicked(Fields.safeParse(data['checkItem']).data?.['state']),
  ),
  deleteCheckItem: at(
    'DELETE',
    'checklists/:checklist/checkItems/:checkItem',
    'cards/:card/checkItem/:checkItem',
    'cards/:card/checklist/:checklist/checkItem/:checkItem',
  ),
  addAttachmentToCard: any(
    both(
      at('POST', 'cards/:card/attachments'),
      made(partId('attachment'), () => true),
    ),
    both(makesCard, attachesSource),
  ),
  deleteAttachmentFromCard: at('DELETE', 'cards/:card/attachments/:attachment'),
  createList: both(at('POST', 'lists', 'boards/:board/lists'), made(partId('list'), sameName('list'))),
  updateList: both(
    any(
      at('PUT', 'lists/:list'),
      ({ write, path, data }) =>
        write.method === 'PUT' && places(data, 'lists/:list').some((list) => path.startsWith(`${list}/`)),
    ),
    setsField('list'),
  ),
  moveListToBoard: movesList,
  moveListFromBoard: movesList,
  createBoard: both(at('POST', 'boards'), made(partId('board'), sameName('board'))),
  copyBoard: both(at('POST', 'boards'), made(partId('board'), sameName('board'))),
  addToOrganizationBoard: any(
    both(at('POST', 'boards'), made(partId('board'), sameName('board'))),
    (asked) => workspaceOf(asked) === partId('organization')(asked),
  ),
  removeFromOrganizationBoard: (asked) => ![undefined, partId('organization')(asked)].includes(workspaceOf(asked)),
  updateBoard: both(
    ({ write, path, data }) =>
      write.method === 'PUT' &&
      places(data, 'boards/:board').some((board) => path === board || path.startsWith(`${board}/`)),
    any(setsField('board'), isSetting),
  ),
  closeBoard: setsClosed(true),
  reopenBoard: setsClosed(false),
  makeAdminOfBoard: changesRole,
  makeNormalMemberOfBoard: changesRole,
  makeObserverOfBoard: changesRole,
  addMemberToBoard: (asked) =>
    at('PUT', `boards/:board/members/${memberId(asked) ?? ''}`, 'boards/:board/members')(asked),
  removeMemberFromBoard: (asked) => at('DELETE', `boards/:board/members/${memberId(asked) ?? ''}`)(asked),
  createCustomField: both(at('POST', 'customFields'), made(partId('customField'), sameName('customField'))),
  updateCustomField: ({ write, path, data }) =>
    write.method !== 'GET' && places(data, 'customFields/:customField').some((field) => path.startsWith(field)),
  deleteCustomField: at('DELETE', 'customFields/:customField'),
  updateCustomFieldItem: setsCustomField,
};
