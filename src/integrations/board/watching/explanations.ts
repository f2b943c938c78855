import { z } from 'zod';
import type { OwnWrite } from '#kit';
import type { Action } from './occurrence.ts';
import { isAtBirth } from './placing.ts';

type Data = Action['data'];
export type Asked = {
  action: Pick<Action, 'id' | 'type' | 'data' | 'idMemberCreator'> & { told?: 'state' | undefined };
  data: Data;
  write: OwnWrite;
  sent: Record<string, unknown>;
  /** Without a slash at its end. */
  path: string;
};

/** Whether a write explains an action. */
export type Explains = (asked: Asked) => boolean;

const Thing = z.object({ id: z.string(), shortLink: z.string().optional(), name: z.string().optional() });
const thing = (data: Data, name: string) => Thing.safeParse(data[name]).data;

/** The names under which an address can mean it. */
const namesOf = (data: Data, name: string): string[] => {
  const found = thing(data, name);
  return found === undefined ? [] : [found.id, ...(found.shortLink === undefined ? [] : [found.shortLink])];
};

const places = (data: Data, template: string): string[] =>
  template.split('/').reduce<string[]>(
    (paths, part) => {
      const names = part.startsWith(':') ? namesOf(data, part.slice(1)) : [part];
      return paths.flatMap((path) => names.map((name) => `${path}/${name}`));
    },
    ['/1'],
  );

/** A request to one of these addresses; `:card` stands for the card of the action, by whichever of its names. */
const at =
  (method: string, ...templates: string[]): Explains =>
  ({ write, path, data }) =>
    write.method === method && templates.some((template) => places(data, template).includes(path));

const any =
  (...all: Explains[]): Explains =>
  (asked) =>
    all.some((each) => each(asked));
const both =
  (...all: Explains[]): Explains =>
  (asked) =>
    all.every((each) => each(asked));

/** What was made is known by its id; while that is not known, by what was asked for. */
const made =
  (idOf: (asked: Asked) => string | undefined, looksAlike: (asked: Asked) => boolean): Explains =>
  (asked) =>
    asked.write.upstreamId === null ? looksAlike(asked) : asked.write.upstreamId === idOf(asked);

const partId =
  (name: string) =>
  ({ data }: Asked): string | undefined =>
    thing(data, name)?.id;

const text = (value: unknown): string => {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
};

const sameText = (a: unknown, b: unknown): boolean => text(a) === text(b);

const sameName =
  (name: string): Explains =>
  ({ data, sent }) =>
    sent['name'] === undefined || sameText(sent['name'], thing(data, name)?.name);

const sameValue = (field: string, told: unknown, wanted: unknown): boolean => {
  // Where `top` and `bottom` lead is told as a number.
  if (field === 'pos') return true;
  if (told === wanted) return true;
  // Cleared by whatever is no date.
  if (field === 'due' || field === 'start') return Object.is(Date.parse(text(told)), Date.parse(text(wanted)));
  const [now, parts] = [told, wanted].map((each) => Fields.safeParse(each).data);
  // Of a cover, only what changes is sent.
  if (now !== undefined && parts !== undefined) {
    return Object.entries(parts).every(([part, value]) => sameValue(part, now[part], value));
  }
  return typeof told !== 'object' && sameText(told, wanted);
};

const Fields = z.record(z.string(), z.unknown());

/** One of the fields that the request sets, with the value that the action tells. */
const setsField =
  (name: string): Explains =>
  ({ data, sent, path }) => {
    const now = Fields.safeParse(data[name]).data ?? {};
    const [field] = Object.keys(Fields.safeParse(data['old']).data ?? {});
    if (field === undefined) return false;
    if (path.endsWith(`/${field}`)) return sent['value'] === undefined || sameValue(field, now[field], sent['value']);
    return field in sent && sameValue(field, now[field], sent[field]);
  };

/** A set that the request replaces, after which the part is or is not in it. */
const setsMembership =
  (set: string, idOf: (asked: Asked) => string | undefined, wanted: boolean): Explains =>
  (asked) => {
    const { sent, path } = asked;
    const given = path.endsWith(`/${set}`) ? sent['value'] : sent[set];
    if (given === undefined) return false;
    const ids = Array.isArray(given) ? given.map(text) : text(given).split(',');
    return ids.includes(idOf(asked) ?? '') === wanted;
  };

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

/** Which writes of ours can be behind an action of each type. */
export const explanations: Readonly<Partial<Record<string, Explains>>> = {
  createCard: createdCard,
  copyCard: createdCard,
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
  updateLabel: at('PUT', 'labels/:label', 'labels/:label/name', 'labels/:label/color'),
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
  updateCheckItem: at(
    'PUT',
    'cards/:card/checkItem/:checkItem',
    'cards/:card/checklist/:checklist/checkItem/:checkItem',
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
  moveListToBoard: at('PUT', 'lists/:list', 'lists/:list/idBoard'),
  moveListFromBoard: at('PUT', 'lists/:list', 'lists/:list/idBoard'),
  createBoard: both(at('POST', 'boards'), made(partId('board'), sameName('board'))),
  copyBoard: both(at('POST', 'boards'), made(partId('board'), sameName('board'))),
  addToOrganizationBoard: any(
    both(at('POST', 'boards'), made(partId('board'), sameName('board'))),
    at('PUT', 'boards/:board'),
  ),
  removeFromOrganizationBoard: at('PUT', 'boards/:board'),
  updateBoard: ({ write, path, data }) =>
    write.method === 'PUT' &&
    places(data, 'boards/:board').some((board) => path === board || path.startsWith(`${board}/`)),
  addMemberToBoard: (asked) =>
    at('PUT', `boards/:board/members/${memberId(asked) ?? ''}`, 'boards/:board/members')(asked),
  removeMemberFromBoard: (asked) => at('DELETE', `boards/:board/members/${memberId(asked) ?? ''}`)(asked),
  updateCustomFieldItem: ({ write, path, data }) =>
    write.method === 'PUT' &&
    places(data, 'cards/:card').some(
      (card) =>
        path.startsWith(`${card}/customField`) || path.startsWith(`${card.replace('/cards/', '/card/')}/customField`),
    ),
};
