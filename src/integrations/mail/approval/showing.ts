import {
  Fault,
  type Method,
  type Path,
  type Planned,
  parseEndpoint,
  type Reading,
  type SendView,
  type Showing,
  type UpstreamRequest,
  wrong,
} from '#kit';
import { above } from '../compose.ts';
import { effectOf, isBatch, spelledOut } from '../effects.ts';
import { unlessGone } from '../marker.ts';
import { idIn, mailboxIn } from '../wire.ts';
import { imagineAnswer } from './answers.ts';
import { differencesOf } from './differences.ts';
import { eventView, filesAlong, saidOf } from './event-view.ts';
import { enclosedIn, looseOf, peopleIn, type Sourced, sourceKey, viewOf } from './message-view.ts';
import {
  actionIn,
  contentAt,
  liesInDeletedItems,
  overwrittenIn,
  placeOf,
  readDraft,
  readStored,
} from './stored-message.ts';

const imagined = 'not-written-yet';

const isSendMail = (path: string): boolean => /\/(?:microsoft\.graph\.)?sendmail(?:\(\))?\/?$/i.test(path);
const isEvent = (path: string): boolean => /\/(?:events|calendarview|instances)\b/i.test(path);

const bytesIn = (attachment: unknown): Buffer | undefined => {
  const { contentbytes } = looseOf(attachment);
  return typeof contentbytes === 'string' ? Buffer.from(contentbytes, 'base64') : undefined;
};

const plainRequest = ({ method, path, query, body }: UpstreamRequest): SendView => ({
  ...viewOf('request', {}, undefined),
  to: peopleIn(looseOf(body)['torecipients']),
  fields: { method, path, query, body },
});

/** What the steps' own drafts would hold: each write adds to what the ones before it made. */
const composedDraft = (planned: readonly Planned[]): Record<string, unknown> => {
  let draft: Record<string, unknown> = {};
  const attachments: unknown[] = [];
  for (const { request, answer, content, uploads } of planned) {
    const { method, path, body } = request;
    if (/\/attachments(?:\/createUploadSession)?$/i.test(path)) {
      attachments.push({ ...enclosedIn(body), ...content, [sourceKey]: uploads ?? bytesIn(body) });
    } else if (method === 'PATCH') draft = { ...draft, ...(body as object) };
    else if (answer !== undefined) draft = { ...draft, ...(answer as object) };
  }
  return { ...draft, attachments: [...((draft['attachments'] as unknown[] | undefined) ?? []), ...attachments] };
};

/** By its address, where that is how the path calls it. */
const answeringAs = (path: string, { account }: Reading): string | undefined => {
  const named = mailboxIn(path, account);
  return named?.includes('@') ? named : account.identity.address;
};

/** The message that one request by itself lets leave; `undefined` where it is about something else. */
const messageIn = async (request: UpstreamRequest, reading: Reading): Promise<unknown> => {
  const { method, path, body: said } = request;
  if (method !== 'POST') return undefined;
  if (isSendMail(path)) return looseOf(said)['message'];
  const { message, action } = actionIn(request) ?? {};
  if (message === undefined || action === undefined) return undefined;
  if (action === 'send') return readDraft(reading, message);
  const original = await readStored(reading, message);
  const made = imagineAnswer(action, original, answeringAs(request.path, reading));
  const given = looseOf(request.body);
  const comment = typeof given['comment'] === 'string' ? given['comment'] : '';
  const overrides = looseOf(given['message']);
  const outer = given['torecipients'] === undefined ? {} : { torecipients: given['torecipients'] };
  const body = { contentType: 'html', content: above(made.body.content, comment, 'text') };
  const lower = looseOf({ ...made, body });
  return { ...lower, ...overrides, ...outer };
};

const encoded = /^content-transfer-encoding:\s*(?:base64|quoted-printable)|=\?[^?\s]+\?[bq]\?/im;

/** A mail that comes whole, as it will be on its way. */
const mimeView = (request: UpstreamRequest, mime: string): SendView => {
  const text = Buffer.from(mime, 'base64').toString();
  return {
    ...plainRequest(request),
    body: { text },
    warnings: [
      'To whom it goes stands in its text alone.',
      ...(encoded.test(text) ? ['Parts of it are encoded: what they say is not seen here.'] : []),
    ],
  };
};

/** What would be removed, by what it says. */
const removalView = async (request: UpstreamRequest, reading: Reading): Promise<SendView> => {
  const [, message] = /^(.*\/messages\/[^/]+)(?:\/permanentDelete)?$/i.exec(request.path) ?? [];
  const stored = message === undefined ? undefined : await unlessGone(readStored(reading, message as Path));
  const shown = { ...plainRequest(request), warnings: ['This is removed.'] };
  if (stored === undefined) return shown;
  const { from, subject } = viewOf('request', stored, undefined);
  return { ...shown, from, subject };
};

const ofMessage = /\/messages(?:\/[^/]+|\([^)]*\))(\/.*)?$/i;
// What is done with a message, and the meeting that it is about: what is in it stays as it is.
const leavesContent =
  /^\/(?:microsoft\.graph\.)?(?:send|(?:create)?(?:reply|replyall|forward)|move|copy|permanentdelete|extensions\b.*)(?:\(\))?\/?$|\/event(?:\/|$)/i;
// What a message can be told without leaving otherwise.
const marks = new Set(['isread', 'categories', 'flag', 'inferenceclassification', '@odata.type', '@odata.etag']);

/** Whether a part changes what another part could send. */
const changesContent = ({ method, path, body }: UpstreamRequest): boolean => {
  const found = ofMessage.exec(path);
  if (found === null) return false;
  const rest = (found[1] ?? '').replace(/\/$/, '');
  if (method === 'GET' || method === 'HEAD') return false;
  if (rest !== '') return !leavesContent.test(rest);
  if (method !== 'PATCH') return false;
  return !(body instanceof Object) || !Object.keys(body).every((name) => marks.has(name.toLowerCase()));
};

const sendsStored = (request: UpstreamRequest): boolean =>
  request.method === 'POST' && actionIn(request) !== undefined && effectOf(request) === 'send';

/** The request itself or, of a batch, each that it consists of, as far as they can be read. */
const partsOf = (request: UpstreamRequest): UpstreamRequest[] => {
  const path = spelledOut(request.path);
  if (!isBatch(path)) return [{ ...request, path }];
  const fields = Object.entries(request.body ?? {}).find(([name]) => name.toLowerCase() === 'requests');
  return [fields?.[1]].flat().flatMap((each) => {
    const named = Object.entries(each ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
    const { method, url, body } = Object.fromEntries(named);
    if (typeof method !== 'string' || typeof url !== 'string') return [];
    const part = url.replace(/^\/?/, '/').replace(/[?#].*$/s, '');
    return [{ method: method.toUpperCase() as Method, path: spelledOut(part as Path), body }];
  });
};

/** The ids of the messages that requests are about. */
const messagesOf = (requests: readonly UpstreamRequest[]): string[] =>
  requests.map(({ path }) => {
    const [message = ''] = /.*\/messages(?:\/[^/]+|\([^)]*\))/i.exec(path) ?? [];
    return idIn(message) ?? message;
  });

/** Each part is shown by what the service holds now: what one changes before another sends it could not be. */
const refuseChanging = (requests: readonly UpstreamRequest[]): void => {
  const plain = requests.map((each) => ({ ...each, path: spelledOut(each.path) }));
  if (!plain.some(sendsStored) || !plain.some(changesContent)) return;
  throw wrong(
    'body',
    'A batch that changes a draft and sends one cannot be shown as it will be sent; send it by itself.',
  );
};

const batchView = async ({ body }: UpstreamRequest, reading: Reading): Promise<SendView> => {
  const given = looseOf(body)['requests'];
  const parts: SendView[] = [];
  const writes: UpstreamRequest[] = [];
  for (const each of Array.isArray(given) ? given : []) {
    const { method, url, body: inner } = looseOf(each);
    if (typeof method !== 'string' || typeof url !== 'string') {
      parts.push({ ...viewOf('request', {}, undefined), fields: { request: each } });
      continue;
    }
    const { path } = parseEndpoint(url.startsWith('/') ? url : `/${url}`);
    const request = { method: method.toUpperCase() as Method, path, body: inner };
    if (effectOf(request) === 'read') continue;
    writes.push(request);
    parts.push(await view([{ request }], reading));
  }
  refuseChanging(writes);
  const all = (pick: (part: SendView) => SendView['to']) => parts.flatMap(pick);
  return {
    ...viewOf('request', {}, undefined),
    to: all(({ to }) => to),
    cc: all(({ cc }) => cc),
    bcc: all(({ bcc }) => bcc),
    subject: parts.flatMap(({ subject }) => subject ?? []).join(' · ') || undefined,
    fields: { requests: given },
    warnings: [`Several requests in one: ${parts.length} of them write or send.`],
    parts,
  };
};

/** Nobody is asked about a draft that the service would not send. */
const draftView = async (request: UpstreamRequest, reading: Reading): Promise<SendView> => {
  const message = await messageIn(request, reading);
  const { parentfolderid: folder, ...draft } = looseOf(message);
  if (looseOf(message)['isdraft'] === false) {
    throw new Fault('invalid_input', 'This is not a draft: it was received, or has left already.');
  }
  const shown = viewOf('mail', draft, reading.account.identity.address);
  const isThrownAway = typeof folder === 'string' && (await liesInDeletedItems(reading, request.path, folder));
  const warnings = [...(isThrownAway ? ['This draft lies in Deleted Items.'] : []), ...shown.warnings];
  if (shown.to.length + shown.cc.length + shown.bcc.length > 0) return { ...shown, warnings };
  throw new Fault('invalid_input', 'This draft addresses nobody; name somebody in it, then send it.');
};

/** What leaves another's mailbox and names no sender is sent by that mailbox, not by the account. */
const asWhom = (shown: SendView, path: string, { account }: Reading): SendView => {
  const named = mailboxIn(path, account);
  const isSent = shown.kind !== 'request' || isEvent(path);
  if (named === undefined || shown.from !== undefined || !isSent) return shown;
  return { ...shown, from: { address: named }, warnings: [`It is sent as ${named}.`, ...shown.warnings] };
};

const view: Showing['view'] = async (planned, reading) => {
  const sent = planned.at(-1)?.request;
  if (sent === undefined) return viewOf('request', {}, undefined);
  const last = { ...sent, path: spelledOut(sent.path) };
  return asWhom(await drawn(planned, last, reading), last.path, reading);
};

const drawn = async (planned: readonly Planned[], last: UpstreamRequest, reading: Reading): Promise<SendView> => {
  const own = reading.account.identity.address;
  if (planned.length > 1) return viewOf('mail', composedDraft(planned), own);
  const { path, method, body } = last;
  if (method === 'POST' && isBatch(path)) return batchView(last, reading);
  const isMail = method === 'POST' && isSendMail(path);
  if (isMail && typeof body === 'string') return mimeView(last, body);
  if (isMail && body instanceof Object) {
    const { message, ...others } = looseOf(body);
    const shown = viewOf('mail', message, own);
    return { ...shown, fields: { ...shown.fields, ...others } };
  }
  const action = method === 'POST' ? actionIn(last)?.action : undefined;
  if (action === 'send') return draftView(last, reading);
  if (action !== undefined) return viewOf('mail', await messageIn(last, reading), own);
  if (isEvent(path)) return eventView(last, reading);
  if (effectOf(last) === 'destroy') return removalView(last, reading);
  return plainRequest(last);
};

/** How mail that waits for approval is composed, shown and compared. */
export const showing: Showing = {
  view,

  letsLeave: (request) =>
    messagesOf(partsOf(request).filter((each) => each.method === 'POST' && actionIn(each)?.action === 'send')),

  alters: (request) => messagesOf(partsOf(request).filter(changesContent)),

  imagine: async (request, reading) => {
    const { method, path, body } = request;
    const answered = method === 'POST' ? actionIn(request) : undefined;
    if (answered !== undefined) {
      const original = await readStored(reading, answered.message);
      return { id: imagined, ...imagineAnswer(answered.action, original, answeringAs(path, reading)) };
    }
    if (/\/attachments(?:\/createUploadSession)?$/i.test(path)) return { id: imagined };
    if (method === 'PATCH') return { id: imagined, ...(body as object) };
    return /\/messages$/i.test(path) ? { ...(body as object), id: imagined } : undefined;
  },

  open: async (planned, reading, place) => {
    const sent = planned.at(-1)?.request;
    if (sent === undefined) return undefined;
    const single = { ...sent, path: spelledOut(sent.path) };
    const message = planned.length > 1 ? composedDraft(planned) : await messageIn(single, reading);
    const given = [looseOf(isEvent(single.path) ? saidOf(single) : message)['attachments'] ?? []].flat();
    const along = place < given.length ? undefined : (await filesAlong(single, reading))[place - given.length];
    if (along !== undefined) return contentAt(reading, placeOf(along));
    const enclosed: unknown = given[place];
    return bytesIn(enclosed) ?? (enclosed as Sourced | undefined)?.[sourceKey];
  },

  differences: async (approved, request, reading, made) => {
    const stored = actionIn({ path: spelledOut(request.path) });
    if (stored?.action !== 'send') return [];
    const own = reading.account.identity.address;
    const held = await readDraft(reading, stored.message, true);
    // By which of its addresses the service tells another's mailbox is its own business.
    const isTold = approved.from?.address === mailboxIn(spelledOut(request.path), reading.account);
    const expected = isTold ? { ...approved, from: undefined } : approved;
    const found = differencesOf(expected, viewOf('mail', held, own));
    return found.length === 0 ? overwrittenIn(held, made, own) : found;
  },
};
