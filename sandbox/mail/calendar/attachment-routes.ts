import { GraphError, itemNotFound } from '../graph-error.ts';
import { assertId } from '../ids.ts';
import type { Attachment } from '../mailbox.ts';
import { readAttachment } from '../messages/attachment-parse.ts';
import { attachmentView, contentOf } from '../messages/attachment-view.ts';
import { parseQuery, selectFields } from '../odata/index.ts';
import { contextOf, created, type GraphAnswer, type GraphRequest, jsonBody, noContent, ok } from '../route.ts';
import { createUploadSession } from '../uploads.ts';
import { addressed, belowCalendars } from './event-routes.ts';
import { changeEvent } from './store.ts';

const reading = ['Calendars.Read', 'Calendars.ReadWrite'];
const writing = ['Calendars.ReadWrite'];

/** `$filter` on attachments is silently ignored. */
const queryOf = (request: GraphRequest) =>
  parseQuery(new URLSearchParams([...request.query].filter(([name]) => name.toLowerCase() !== '$filter')), {
    entity: 'attachment',
  });

const below = ({ params }: GraphRequest): string =>
  `events('${encodeURIComponent(params['eventId'] ?? '')}')/attachments`;

const attachmentOf = (request: GraphRequest): Attachment => {
  const id = assertId(request.params['attachmentId'] ?? '');
  const found = addressed(request).event.attachments.find((one) => one.id === id);
  if (found === undefined) throw itemNotFound();
  return found;
};

const list = (request: GraphRequest): GraphAnswer => {
  const { select } = queryOf(request);
  const { attachments } = addressed(request).event;
  return ok({
    '@odata.context': contextOf(request, below(request)),
    value: attachments.map((one) => selectFields(attachmentView(one), select)),
  });
};

const read = (request: GraphRequest): GraphAnswer => {
  const { select } = queryOf(request);
  const shown = selectFields(attachmentView(attachmentOf(request)), select);
  return ok({ '@odata.context': contextOf(request, `${below(request)}/$entity`), ...shown });
};

const raw = (request: GraphRequest): GraphAnswer => {
  const attachment = attachmentOf(request);
  if (attachment.kind !== 'file') {
    throw new GraphError(405, 'ErrorInvalidRequest', 'The attachment has no content of its own.');
  }
  const contentType = attachment.contentType ?? 'application/octet-stream';
  return { status: 200, raw: { contentType, content: contentOf(attachment) } };
};

const attach = (request: GraphRequest, attachment: Attachment): void =>
  changeEvent(request.world, request.mailbox, addressed(request).event, (event) => {
    event.attachments = [...event.attachments, attachment];
  });

const add = (request: GraphRequest): GraphAnswer => {
  addressed(request);
  const attachment = readAttachment(request.mailbox, jsonBody(request), request.world.now());
  attach(request, attachment);
  return created({ '@odata.context': contextOf(request, `${below(request)}/$entity`), ...attachmentView(attachment) });
};

const upload = (request: GraphRequest): GraphAnswer => {
  addressed(request);
  return createUploadSession(request, (attachment) => {
    attach(request, attachment);
    const event = encodeURIComponent(request.params['eventId'] ?? '');
    return `${request.base.slice(0, -'/v1.0'.length)}/api/v2.0/Users('${request.mailbox.owner}')/Events('${event}')/Attachments('${attachment.id}')`;
  });
};

const remove = (request: GraphRequest): GraphAnswer => {
  const gone = attachmentOf(request);
  changeEvent(request.world, request.mailbox, addressed(request).event, (event) => {
    event.attachments = event.attachments.filter((one) => one !== gone);
  });
  return noContent();
};

export const eventAttachmentRoutes = belowCalendars([
  ['GET', 'events/:eventId/attachments', reading, list],
  ['POST', 'events/:eventId/attachments', writing, add],
  ['POST', 'events/:eventId/attachments/createUploadSession', writing, upload],
  ['GET', 'events/:eventId/attachments/:attachmentId', reading, read],
  ['DELETE', 'events/:eventId/attachments/:attachmentId', writing, remove],
  ['GET', 'events/:eventId/attachments/:attachmentId/$value', reading, raw],
]);
