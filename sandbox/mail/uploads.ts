import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { SandboxEnv } from '../common/server.ts';
import { accessDenied, badRequest, GraphError, itemNotFound } from './graph-error.ts';
import { newItemId } from './ids.ts';
import type { Attachment } from './mailbox.ts';
import { threeMegabytes } from './messages/attachment-parse.ts';
import { created, type GraphAnswer, type GraphRequest, jsonBody } from './route.ts';
import { wireTime } from './text.ts';
import { pick, readEnum, readFlag, readInteger, readObject, readText } from './values.ts';
import type { World } from './world.ts';

type Upload = {
  size: number;
  slices: Uint8Array[];
  received: number;
  expires: number;
  base: string;
  /** Attaches the whole and answers the address of the attachment. */
  finish: (content: Uint8Array) => string;
};

const largest = 150 * 1024 * 1024;
const largestSlice = 4 * 1024 * 1024;
const lifetime = 7 * 86_400_000;

const uploads = new WeakMap<World, Map<string, Upload>>();
const uploadsOf = (world: World): Map<string, Upload> => {
  const known = uploads.get(world) ?? new Map<string, Upload>();
  uploads.set(world, known);
  return known;
};
export const forgetUploads = (world: World): void => uploadsOf(world).clear();

const checkSize = (size: number): void => {
  if (size < threeMegabytes) {
    throw new GraphError(
      400,
      'ErrorAttachmentSizeShouldNotBeLessThanMinimumSize',
      `The attachment size should not be less than the minimum size ${threeMegabytes}.`,
    );
  }
  if (size > largest) throw new GraphError(400, 'ErrorAttachmentSizeLimitExceeded', 'The attachment is too large.');
};

/** Uploads go to another host than the API's, as with the real service: this machine's other name. */
const otherHost = (base: string): string => {
  const url = new URL(base);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.origin;
};

/** `createUploadSession` for messages and events: `attach` stores the file and answers its address. */
export const createUploadSession = (request: GraphRequest, attach: (file: Attachment) => string): GraphAnswer => {
  const { world, mailbox } = request;
  if (request.session.person.id !== mailbox.owner) throw accessDenied();
  const item = readObject(pick(jsonBody(request), 'AttachmentItem'), 'AttachmentItem');
  readEnum(pick(item, 'attachmentType'), 'attachmentType', ['file', 'item', 'reference']);
  const name = readText(pick(item, 'name') ?? '', 'name');
  const size = readInteger(pick(item, 'size'), 'size');
  checkSize(size);
  const optional = (key: string) => {
    const value = pick(item, key);
    return value === undefined || value === null ? null : readText(value, key);
  };
  const file = {
    kind: 'file' as const,
    id: newItemId(mailbox),
    name,
    contentType: optional('contentType') ?? 'application/octet-stream',
    isInline: readFlag(pick(item, 'isInline') ?? false, 'isInline'),
    contentId: optional('contentId'),
  };
  const token = randomBytes(24).toString('base64url');
  const expires = world.now() + lifetime;
  uploadsOf(world).set(token, {
    size,
    slices: [],
    received: 0,
    expires,
    base: request.base,
    finish: (content) => attach({ ...file, content, size: content.length, modified: world.now() }),
  });
  return created({
    '@odata.context': `${request.base}/$metadata#microsoft.graph.uploadSession`,
    uploadUrl: `${otherHost(request.base)}/api/v2.0/attachmentSessions/${token}?authtoken=${randomBytes(16).toString('base64url')}`,
    expirationDateTime: wireTime(expires),
    nextExpectedRanges: ['0-'],
  });
};

const range = /^bytes (\d{1,12})-(\d{1,12})\/(\d{1,12})$/i;

const find = (world: World, token: string): Upload => {
  const upload = uploadsOf(world).get(token);
  if (upload === undefined || upload.expires <= world.now()) throw itemNotFound();
  return upload;
};

const take = (world: World, token: string, header: string, slice: Uint8Array): GraphAnswer => {
  const upload = find(world, token);
  const [, from, to, total] = range.exec(header) ?? [];
  if (from === undefined) throw badRequest('The Content-Range header is missing or malformed.');
  if (slice.length >= largestSlice) throw new GraphError(413, 'RequestEntityTooLarge', 'Request entity too large');
  const fits = Number(from) === upload.received && Number(to) - Number(from) + 1 === slice.length;
  if (!fits || Number(total) !== upload.size || Number(to) >= upload.size) {
    throw new GraphError(416, 'ErrorInvalidContentRange', `Expected the range that starts at ${upload.received}.`);
  }
  upload.slices.push(slice);
  upload.received += slice.length;
  if (upload.received < upload.size) {
    const next = { expirationDateTime: wireTime(upload.expires), nextExpectedRanges: [String(upload.received)] };
    return {
      status: 200,
      body: { '@odata.context': `${upload.base}/$metadata#microsoft.graph.uploadSession`, ...next },
    };
  }
  uploadsOf(world).delete(token);
  return { status: 201, headers: { Location: upload.finish(Buffer.concat(upload.slices)) } };
};

/** The upload address itself holds the permission: a bearer token sent to it has gone to the wrong place. */
export const uploadAnswer = async (world: World, c: Context<SandboxEnv>): Promise<GraphAnswer> => {
  if (c.req.header('authorization') !== undefined) {
    throw new GraphError(401, 'InvalidAuthenticationToken', 'This address takes no Authorization header.');
  }
  const token = c.req.param('token') ?? '';
  if (c.req.method === 'DELETE') {
    find(world, token);
    uploadsOf(world).delete(token);
    return { status: 204 };
  }
  if (c.req.method !== 'PUT') throw new GraphError(405, 'MethodNotAllowed', 'Send slices with PUT.');
  return take(world, token, c.req.header('content-range') ?? '', new Uint8Array(await c.req.arrayBuffer()));
};
