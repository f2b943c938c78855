import type { Effect, UpstreamRequest } from '#kit';

type Judged = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body'>;

// Writes that stay among the people who see the board anyway.
const ordinary = [
  /^\/1\/cards(\/[^/]+)?$/,
  /^\/1\/cards\/[^/]+\/(actions\/comments|idLabels|idMembers|labels|checklists|attachments|markAssociatedNotificationsRead|stickers|customFieldItems)$/,
  /^\/1\/cards\/[^/]+\/(name|desc|closed|due|dueComplete|start|pos|idList|idLabels|idMembers|subscribed)$/,
  /^\/1\/cards\/[^/]+\/actions\/[^/]+\/comments$/,
  /^\/1\/cards\/[^/]+\/checkItem\/[^/]+$/,
  /^\/1\/cards\/[^/]+\/checklist\/[^/]+\/checkItem(\/[^/]+)?$/,
  /^\/1\/cards\/[^/]+\/customField\/[^/]+\/item$/,
  /^\/1\/lists(\/[^/]+)?$/,
  /^\/1\/lists\/[^/]+\/(name|closed|pos|subscribed|archiveAllCards|moveAllCards)$/,
  /^\/1\/checklists(\/[^/]+)?$/,
  /^\/1\/checklists\/[^/]+\/(checkItems|name|pos)$/,
  /^\/1\/labels(\/[^/]+)?$/,
  /^\/1\/boards\/[^/]+\/(lists|labels|checklists|markedAsViewed)$/,
  /^\/1\/actions\/[^/]+(\/text)?$/,
  /^\/1\/notifications\/([^/]+|all\/read)(\/unread)?$/,
];
const board = /^\/1\/boards(\/[^/]*)?$/;

const values = (given: unknown): Record<string, unknown> =>
  typeof given === 'object' && given !== null ? { ...given } : {};

/** Whether a board's settings decide who sees it, or where it belongs. */
const opensBoard = ({ query, body }: Judged): boolean =>
  Object.keys({ ...values(query), ...values(body) }).some((name) => /prefs|permission|idOrganization/i.test(name));

/**
 * What a request to the board service does. Inviting people, opening a board, and registering addresses that are sent
 * every change make data visible outside: those are sends, and so is every write that is not known.
 */
export const effectOf = (request: Judged): Effect => {
  const { method, path } = request;
  if (method === 'GET' || method === 'HEAD') return 'read';
  if (method === 'DELETE') return 'destroy';
  const clean = path.replace(/\/+$/, '');
  if (ordinary.some((known) => known.test(clean))) return 'write';
  if (board.test(clean)) return opensBoard(request) ? 'send' : 'write';
  return 'send';
};
