import type { Effect, UpstreamRequest } from '#kit';

type Judged = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body'>;

const segment = '[^/]+';
const like = (template: string): RegExp => new RegExp(`^/1/${template.replaceAll('*', segment)}$`);

// Writes that stay among the people who see the board anyway.
const ordinary = [
  'cards',
  'cards/*',
  'cards/*/(name|desc|closed|due|dueComplete|start|pos|idList|idBoard|idLabels|idMembers|subscribed|cover|idAttachmentCover)',
  'cards/*/actions/comments',
  'cards/*/actions/*/comments',
  'cards/*/(labels|checklists|attachments|membersVoted|stickers|customFieldItems|customFields)',
  'cards/*/stickers/*',
  'cards/*/markAssociatedNotificationsRead',
  'cards/*/checkItem/*',
  'cards/*/checklist/*/checkItem(/*)?',
  'cards?/*/customField/*/item',
  'lists',
  'lists/*',
  'lists/*/(name|closed|pos|subscribed|softLimit|idBoard|archiveAllCards|moveAllCards)',
  'checklists',
  'checklists/*',
  'checklists/*/(checkItems|name|pos)',
  'labels',
  'labels/*',
  'labels/*/(name|color)',
  'boards/*/(lists|labels|checklists|markedAsViewed)',
  'actions/*',
  'actions/*/text',
  'notifications/*',
  'notifications/*/unread',
  'notifications/all/read',
].map(like);

// Taking one of these off is undone by putting it on again: nothing is lost.
const takesOff = ['cards/*/(idLabels|idMembers)/*', 'cards/*/membersVoted/*'].map(like);

const board = like('boards(/*)?');
// One field of a board, told as its value.
const boardField = like('boards/*/(name|desc|closed|subscribed)');

const namesOf = ({ query, body }: Judged): string[] =>
  [query, body].flatMap((given) => (typeof given === 'object' && given !== null ? Object.keys(given) : []));

/** A body that is no set of fields could say anything. */
const isOpaque = ({ body }: Judged): boolean =>
  typeof body === 'string' || Array.isArray(body) || body instanceof Uint8Array;

// What a board may be told without a word on who sees it, where it belongs, who may join or what is told of it elsewhere.
const quiet =
  /^(?:name|desc|closed|subscribed|labelNames(?:\/\w+)?|default(?:Labels|Lists)|idBoardSource|keepFromSource)$/;

/** Whether a board is told anything else. */
const opensBoard = (request: Judged): boolean =>
  isOpaque(request) || !namesOf(request).every((name) => quiet.test(name));

/**
 * What a request to the board service does. Inviting people, opening a board, and registering addresses that are sent
 * every change make data visible outside: those are sends, and so is every write that is not known.
 */
export const effectOf = (request: Judged): Effect => {
  const { method, path } = request;
  if (method === 'GET' || method === 'HEAD') return 'read';
  const clean = path.replace(/\/+$/, '');
  const is = (known: RegExp): boolean => known.test(clean);
  // Ids need no escapes: what a slash in one would lead to is the service's secret.
  const isEscaped = /[%;\\]/.test(clean);
  if (method === 'DELETE') return !isEscaped && takesOff.some(is) ? 'write' : 'destroy';
  if (isEscaped) return 'send';
  if (is(board)) return opensBoard(request) ? 'send' : 'write';
  if (is(boardField))
    return !isOpaque(request) && namesOf(request).every((name) => name === 'value') ? 'write' : 'send';
  return ordinary.some(is) ? 'write' : 'send';
};
