import { badRequest } from '../graph-error.ts';
import type { Folder, Message } from '../mailbox.ts';
import { readMime } from '../mime/read.ts';
import { created, type GraphAnswer, type GraphRequest, type GraphRoute, jsonBody, noContent, ok } from '../route.ts';
import { pick, readText } from '../values.ts';
import { draftFields, mimeFields } from './draft.ts';
import { findFolder, wellKnownFolder } from './find.ts';
import { type MessageFields, readMessage, refuseSensitive } from './parse.ts';
import { addressedMessage, checkEtag, single } from './read-routes.ts';
import { addMessage, copyMessage, moveMessage, removeMessage, updateMessage } from './store.ts';

const writing = ['Mail.ReadWrite'];

export const isMime = (request: GraphRequest): boolean =>
  (request.header('content-type') ?? '').toLowerCase().startsWith('text/plain');

const create = (request: GraphRequest): GraphAnswer => {
  const { world, mailbox, params } = request;
  const folder =
    params['folder'] === undefined ? wellKnownFolder(mailbox, 'drafts') : findFolder(mailbox, params['folder']);
  const fields: MessageFields = isMime(request)
    ? mimeFields(world, mailbox, readMime(request.body))
    : readMessage(jsonBody(request));
  const message = addMessage(world, mailbox, folder, draftFields(world, mailbox, fields));
  const body = single(request, message);
  return { ...created(body), headers: { Location: `${request.base}${request.prefix}/messages/${String(body['id'])}` } };
};

const patch = (request: GraphRequest): GraphAnswer => {
  const { world, mailbox } = request;
  const message = addressedMessage(request);
  checkEtag(request, message);
  const { attachmentsJson: _, headers: _headers, from, sender, extended, ...fields } = readMessage(jsonBody(request));
  if (!message.isDraft && world.behaviour.refuseSensitivePatch) {
    refuseSensitive(extended === undefined ? fields : { ...fields, extended });
  }
  const kept = message.extended.filter(({ id }) => !(extended ?? []).some((property) => property.id === id));
  updateMessage(world, mailbox, message, {
    ...fields,
    ...(message.isDraft && from !== undefined ? { from } : {}),
    ...(message.isDraft && sender !== undefined ? { sender } : {}),
    ...(extended === undefined ? {} : { extended: [...kept, ...extended] }),
  });
  return ok(single(request, message));
};

/** Into Deleted Items; from there, out of sight. */
const remove = (request: GraphRequest): GraphAnswer => {
  const { world, mailbox } = request;
  const message = addressedMessage(request);
  checkEtag(request, message);
  const bin = wellKnownFolder(mailbox, 'deleteditems');
  if (message.folderId === bin.id) removeMessage(world, mailbox, message);
  else moveMessage(world, mailbox, message, bin);
  return noContent();
};

const purge = (request: GraphRequest): GraphAnswer => {
  removeMessage(request.world, request.mailbox, addressedMessage(request));
  return noContent();
};

const destination = (request: GraphRequest): Folder => {
  const id = pick(jsonBody(request), 'destinationId');
  if (id === undefined || id === null) throw badRequest("The parameter 'DestinationId' is required.");
  return findFolder(request.mailbox, readText(id, 'destinationId'));
};

const move = (request: GraphRequest): GraphAnswer => {
  const message = addressedMessage(request);
  const target = destination(request);
  if (message.folderId !== target.id) moveMessage(request.world, request.mailbox, message, target);
  return created(single(request, message));
};

const copy = (request: GraphRequest): GraphAnswer => {
  const message: Message = addressedMessage(request);
  return created(single(request, copyMessage(request.world, request.mailbox, message, destination(request))));
};

const actions: [GraphRoute['method'], string, GraphRoute['handle']][] = [
  ['POST', 'messages', create],
  ['PATCH', 'messages/:id', patch],
  ['DELETE', 'messages/:id', remove],
  ['POST', 'messages/:id/permanentDelete', purge],
  ['POST', 'messages/:id/move', move],
  ['POST', 'messages/:id/copy', copy],
];

export const writeRoutes: GraphRoute[] = actions.flatMap(([method, path, handle]) => [
  { method, path, handle, scopes: writing },
  { method, path: `mailFolders/:folder/${path}`, handle, scopes: writing },
]);
