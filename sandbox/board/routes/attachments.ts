import type { Call } from '../call.ts';
import type { Attachment, Card } from '../model.ts';
import { addAttachment, deleteAttachment, type NewAttachment } from '../operations/card-parts.ts';
import { updateCard } from '../operations/cards.ts';
import { coded, invalidValue, notFound, plain, unauthorized } from '../refusal.ts';
import { del, type Endpoint, get, post, Raw } from '../router.ts';
import { attachmentShape } from '../views/cards.ts';
import { show } from '../views/fields.ts';

const read = ['read:board'] as const;
const write = ['write:board'] as const;
const attachmentsPerCard = 1000;
/** The free plan's limit for one file. */
const mostBytes = 10 * 1024 * 1024;

const wantedFrom = (call: Call): NewAttachment => {
  const { input } = call;
  const name = input.limited('name', 256);
  const mimeType = input.limited('mimeType', 256);
  const file = input.files.get('file');
  if (file) {
    if (file.bytes.length > mostBytes) throw coded(413, 'File too large', 'FILE_TOO_LARGE');
    const type = mimeType ?? (file.type === '' ? 'application/octet-stream' : file.type);
    return { name: name ?? file.name, mimeType: type, file: { bytes: file.bytes, name: file.name } };
  }
  const url = input.text('url');
  if (url === undefined || url === '') throw plain(400, 'Must provide either url or file');
  if (!URL.canParse(url) || !/^https?:/i.test(url)) throw invalidValue('url');
  return { name: name ?? url, mimeType: mimeType ?? '', url };
};

const one = (call: Call, card: Card): Attachment => {
  const id = (call.params['idAttachment'] ?? '').toLowerCase();
  const found = card.attachments.find((attachment) => attachment.id === id);
  if (!found) throw notFound();
  return found;
};

export const attachmentRoutes: readonly Endpoint[] = [
  get('/cards/:card/attachments', read, (call) => {
    const card = call.card();
    const filter = call.input.raw('filter');
    return card.attachments
      .filter(({ id }) => filter !== 'cover' || id === card.idAttachmentCover)
      .map((attachment) => show(attachmentShape, attachment, call.fields('all'), call.viewer));
  }),
  // One object comes back, whatever the vendor's file says.
  post('/cards/:card/attachments', write, (call) => {
    const card = call.card('write');
    if (card.attachments.length >= attachmentsPerCard) throw coded(403, 'Card has reached its limit of attachments');
    const setCover = call.input.flag('setCover') ?? false;
    const attachment = addAttachment(call.world, call.actor, card, wantedFrom(call));
    if (setCover) updateCard(call.world, call.actor, card, { idAttachmentCover: attachment.id });
    return { ...show(attachmentShape, attachment, 'all', call.viewer), limits: {} };
  }),
  get('/cards/:card/attachments/:idAttachment', read, (call) =>
    show(attachmentShape, one(call, call.card()), call.fields('all'), call.viewer),
  ),
  get('/cards/:card/attachments/:idAttachment/download/:name', read, (call) => {
    // Credentials in the query do not open files.
    if (!call.caller.byHeader) throw unauthorized();
    const attachment = one(call, call.card());
    const bytes = call.world.files.get(attachment.id);
    if (!bytes) throw notFound();
    // The type the uploader claimed must not make the sandbox's own pages run anything.
    return new Raw(bytes, {
      'content-type': attachment.mimeType,
      'content-disposition': `attachment; filename="${attachment.fileName ?? 'file'}"`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
  }),
  del('/cards/:card/attachments/:idAttachment', write, (call) => {
    const card = call.card('write');
    deleteAttachment(call.world, call.actor, card, one(call, card));
    return { limits: {} };
  }),
];
