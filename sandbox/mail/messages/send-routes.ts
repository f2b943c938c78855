import { badRequest, GraphError } from '../graph-error.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { readMime } from '../mime/read.ts';
import { accepted, created, type GraphAnswer, type GraphRequest, type GraphRoute, jsonBody } from '../route.ts';
import { pick, readFlag, readObject } from '../values.ts';
import type { World } from '../world.ts';
import { type AnswerKind, composeAnswer } from './answer.ts';
import { draftFields, mimeFields } from './draft.ts';
import { wellKnownFolder } from './find.ts';
import { type MessageFields, readMessage } from './parse.ts';
import { addressedMessage, single } from './read-routes.ts';
import { addMessage, updateMessage } from './store.ts';
import { checkSubmission, submit } from './submit.ts';
import { isMime } from './write-routes.ts';

const sending = ['Mail.Send'];
const writing = ['Mail.ReadWrite'];

const optionalBody = (request: GraphRequest): Json => (request.body.length === 0 ? {} : jsonBody(request));

const putDraft = (world: World, mailbox: Mailbox, fields: MessageFields) =>
  addMessage(world, mailbox, wellKnownFolder(mailbox, 'drafts'), draftFields(world, mailbox, fields));

/** Nothing is stored before everything that can be refused has been checked. */
const sendFields = (request: GraphRequest, fields: MessageFields, save: boolean): GraphAnswer => {
  const { world, mailbox } = request;
  const complete = draftFields(world, mailbox, fields);
  const authors = checkSubmission(request, complete);
  const draft = addMessage(world, mailbox, wellKnownFolder(mailbox, 'drafts'), { ...complete, ...authors });
  submit(world, mailbox, draft, { save, hide: false });
  return accepted();
};

const sendMail = (request: GraphRequest): GraphAnswer => {
  if (isMime(request)) {
    return sendFields(request, mimeFields(request.world, request.mailbox, readMime(request.body)), true);
  }
  const body = jsonBody(request);
  const message = pick(body, 'message');
  if (message === undefined || message === null) throw badRequest("The parameter 'Message' is required.");
  const save = readFlag(pick(body, 'saveToSentItems') ?? true, 'saveToSentItems');
  return sendFields(request, readMessage(readObject(message, 'message')), save);
};

const sendDraft = (request: GraphRequest): GraphAnswer => {
  const { world, mailbox } = request;
  const draft = addressedMessage(request);
  if (!draft.isDraft) {
    throw new GraphError(400, 'ErrorInvalidRequest', 'The message is not a draft and cannot be sent.');
  }
  const authors = checkSubmission(request, draft);
  updateMessage(world, mailbox, draft, authors);
  submit(world, mailbox, draft, { save: true, hide: true });
  return accepted();
};

const answerNow =
  (kind: AnswerKind) =>
  (request: GraphRequest): GraphAnswer => {
    const original = addressedMessage(request);
    return sendFields(request, composeAnswer(request, kind, original, optionalBody(request), 'send'), true);
  };

const answerDraft =
  (kind: AnswerKind) =>
  (request: GraphRequest): GraphAnswer => {
    const original = addressedMessage(request);
    const fields = composeAnswer(request, kind, original, optionalBody(request), 'draft');
    return created(single(request, putDraft(request.world, request.mailbox, fields)));
  };

const actions: [string, readonly string[], GraphRoute['handle']][] = [
  ['messages/:id/send', sending, sendDraft],
  ['messages/:id/reply', sending, answerNow('reply')],
  ['messages/:id/replyAll', sending, answerNow('replyAll')],
  ['messages/:id/forward', sending, answerNow('forward')],
  ['messages/:id/createReply', writing, answerDraft('reply')],
  ['messages/:id/createReplyAll', writing, answerDraft('replyAll')],
  ['messages/:id/createForward', writing, answerDraft('forward')],
];

export const sendRoutes: GraphRoute[] = [
  { method: 'POST', path: 'sendMail', scopes: sending, handle: sendMail },
  ...actions.flatMap(([path, scopes, handle]): GraphRoute[] => [
    { method: 'POST', path, scopes, handle },
    { method: 'POST', path: `mailFolders/:folder/${path}`, scopes, handle },
  ]),
];
