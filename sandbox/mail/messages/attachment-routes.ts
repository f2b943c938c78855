import { GraphError, itemNotFound } from '../graph-error.ts';
import { readId } from '../ids.ts';
import type { Attachment, Json, Message } from '../mailbox.ts';
import { type ODataQuery, parseQuery, selectFields } from '../odata/index.ts';
import {
  contextOf,
  created,
  type GraphAnswer,
  type GraphRequest,
  type GraphRoute,
  jsonBody,
  noContent,
  ok,
} from '../route.ts';
import { createUploadSession } from '../uploads.ts';
import { readAttachment } from './attachment-parse.ts';
import { attachmentView, contentOf } from './attachment-view.ts';
import { addressedMessage } from './read-routes.ts';
import { updateMessage } from './store.ts';

const reading = ['Mail.Read', 'Mail.ReadWrite'];
const writing = ['Mail.ReadWrite'];

/** `$filter` on attachments is silently ignored. */
const queryOf = (request: GraphRequest): ODataQuery => {
  const params = new URLSearchParams([...request.query].filter(([name]) => name.toLowerCase() !== '$filter'));
  return parseQuery(params, { entity: 'attachment' });
};

const wantsItem = (query: ODataQuery): boolean => query.expand?.some(({ name }) => name === 'item') ?? false;

const shown = (attachment: Attachment, query: ODataQuery): Json => {
  const content = query.select === undefined || query.select.includes('contentBytes');
  return selectFields(attachmentView(attachment, { item: wantsItem(query), content }), query.select);
};

const attachmentOf = (message: Message, id: string): Attachment => {
  readId(id);
  const found = message.attachments.find((attachment) => attachment.id === id);
  if (found === undefined) throw itemNotFound();
  return found;
};

const below = (request: GraphRequest): string =>
  `messages('${encodeURIComponent(request.params['id'] ?? '')}')/attachments`;

const list = (request: GraphRequest): GraphAnswer => {
  const message = addressedMessage(request);
  const query = queryOf(request);
  const from = query.skip ?? 0;
  const part = message.attachments.slice(from, query.top === undefined ? undefined : from + query.top);
  return ok({
    '@odata.context': contextOf(request, below(request)),
    ...(query.count ? { '@odata.count': message.attachments.length } : {}),
    value: part.map((attachment) => shown(attachment, query)),
  });
};

const one = (request: GraphRequest): GraphAnswer => {
  const attachment = attachmentOf(addressedMessage(request), request.params['attachment'] ?? '');
  return ok({
    '@odata.context': contextOf(request, `${below(request)}/$entity`),
    ...shown(attachment, queryOf(request)),
  });
};

const raw = (request: GraphRequest): GraphAnswer => {
  const attachment = attachmentOf(addressedMessage(request), request.params['attachment'] ?? '');
  if (attachment.kind === 'reference') {
    throw new GraphError(405, 'ErrorInvalidRequest', 'The attachment is a reference and has no content of its own.');
  }
  if (attachment.kind === 'item') {
    return { status: 200, raw: { contentType: 'text/plain', content: JSON.stringify(attachment.item) } };
  }
  const contentType = attachment.contentType ?? 'application/octet-stream';
  return { status: 200, raw: { contentType, content: contentOf(attachment) } };
};

const attach = (request: GraphRequest, message: Message, attachment: Attachment): void =>
  updateMessage(request.world, request.mailbox, message, { attachments: [...message.attachments, attachment] });

const add = (request: GraphRequest): GraphAnswer => {
  const message = addressedMessage(request);
  const attachment = readAttachment(request.mailbox, jsonBody(request), request.world.now());
  attach(request, message, attachment);
  const body = { '@odata.context': contextOf(request, `${below(request)}/$entity`), ...attachmentView(attachment) };
  return { ...created(body), headers: { Location: `${request.base}${request.path}/${attachment.id}` } };
};

const remove = (request: GraphRequest): GraphAnswer => {
  const message = addressedMessage(request);
  const gone = attachmentOf(message, request.params['attachment'] ?? '');
  updateMessage(request.world, request.mailbox, message, {
    attachments: message.attachments.filter((attachment) => attachment !== gone),
  });
  return noContent();
};

const openUpload = (request: GraphRequest): GraphAnswer => {
  const message = addressedMessage(request);
  return createUploadSession(request, (attachment) => {
    attach(request, message, attachment);
    const messageId = encodeURIComponent(request.params['id'] ?? '');
    return `${request.base.slice(0, -'/v1.0'.length)}/api/v2.0/Users('${request.mailbox.owner}')/Messages('${messageId}')/Attachments('${attachment.id}')`;
  });
};

const actions: [GraphRoute['method'], string, readonly string[], GraphRoute['handle']][] = [
  ['GET', 'messages/:id/attachments', reading, list],
  ['POST', 'messages/:id/attachments', writing, add],
  ['POST', 'messages/:id/attachments/createUploadSession', writing, openUpload],
  ['GET', 'messages/:id/attachments/:attachment', reading, one],
  ['DELETE', 'messages/:id/attachments/:attachment', writing, remove],
  ['GET', 'messages/:id/attachments/:attachment/$value', reading, raw],
];

export const attachmentRoutes: GraphRoute[] = actions.flatMap(([method, path, scopes, handle]) => [
  { method, path, scopes, handle },
  { method, path: `mailFolders/:folder/${path}`, scopes, handle },
]);
