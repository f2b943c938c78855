import { conflict } from '../graph-error.ts';
import { changeKey, etag } from '../ids.ts';
import type { Message } from '../mailbox.ts';
import { writeMime } from '../mime/write.ts';
import { parseQuery } from '../odata/index.ts';
import { contextOf, type GraphAnswer, type GraphRequest, type GraphRoute, ok } from '../route.ts';
import { findFolder, findMessage } from './find.ts';
import { countMessages, listMessages } from './list.ts';
import { show, viewOptions } from './show.ts';

const basic = ['Mail.ReadBasic', 'Mail.Read', 'Mail.ReadWrite'];
const reading = ['Mail.Read', 'Mail.ReadWrite'];

/** One message under the folder the path names, if it names one. */
export const addressedMessage = (request: GraphRequest): Message => {
  const message = findMessage(request.mailbox, request.params['id'] ?? '');
  const folder = request.params['folder'];
  if (folder !== undefined) findFolder(request.mailbox, folder);
  return message;
};

/** `If-Match` with an older etag is refused. */
export const checkEtag = (request: GraphRequest, message: Message): void => {
  const wanted = request.header('if-match')?.trim();
  if (wanted === undefined || wanted === '*' || wanted === '') return;
  const current = etag(changeKey(message.seq, message.version));
  if (wanted !== current && `W/${wanted}` !== current) throw conflict();
};

/** A single message, as answers to reads and writes show it. */
export const single = (request: GraphRequest, message: Message): Record<string, unknown> => {
  const query = parseQuery(request.query, { entity: 'message' });
  const selected = query.select === undefined ? '' : `(${query.select.join(',')})`;
  return {
    '@odata.context': contextOf(request, `messages${selected}/$entity`),
    ...show(request, message, query, viewOptions(request)),
  };
};

const get = (request: GraphRequest): GraphAnswer => {
  const body = single(request, addressedMessage(request));
  const tag = String(body['@odata.etag']);
  if (request.header('if-none-match')?.trim() === tag) return { status: 304 };
  return { ...ok(body), headers: { ETag: tag } };
};

const mime = (request: GraphRequest): GraphAnswer => ({
  status: 200,
  raw: { contentType: 'text/plain', content: writeMime(addressedMessage(request)) },
});

const inFolder = (request: GraphRequest) => findFolder(request.mailbox, request.params['folder'] ?? '');

export const readRoutes: GraphRoute[] = [
  { method: 'GET', path: 'messages', scopes: basic, handle: (r) => listMessages(r, r.mailbox.timeline, 'messages') },
  { method: 'GET', path: 'messages/$count', scopes: basic, handle: (r) => countMessages(r, r.mailbox.timeline) },
  { method: 'GET', path: 'messages/:id', scopes: basic, handle: get },
  { method: 'GET', path: 'messages/:id/$value', scopes: reading, handle: mime },
  {
    method: 'GET',
    path: 'mailFolders/:folder/messages',
    scopes: basic,
    handle: (r) => {
      const folder = inFolder(r);
      return listMessages(
        r,
        folder.messages,
        `mailFolders('${encodeURIComponent(r.params['folder'] ?? '')}')/messages`,
      );
    },
  },
  {
    method: 'GET',
    path: 'mailFolders/:folder/messages/$count',
    scopes: basic,
    handle: (r) => countMessages(r, inFolder(r).messages),
  },
  { method: 'GET', path: 'mailFolders/:folder/messages/:id', scopes: basic, handle: get },
  { method: 'GET', path: 'mailFolders/:folder/messages/:id/$value', scopes: reading, handle: mime },
];
