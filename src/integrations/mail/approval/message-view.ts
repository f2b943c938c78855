import { createHash } from 'node:crypto';
import { type Addressed, type Enclosed, type SendView, type Source, wrong } from '#kit';
import { htmlToText } from '../body/html-to-text.ts';
import { withoutInvisible } from '../body/invisible.ts';
import { changeProperty, markHeader, markProperty } from '../marker.ts';

/** Under this name what is enclosed tells where its content is. Nothing that comes as JSON can. */
export const sourceKey = Symbol('source');
export type Sourced = { [sourceKey]?: Source | undefined };

/** A JSON object as it may come from a caller, its names read as the service reads them. */
export type Loose = Readonly<Record<string, unknown>>;

export const looseOf = (value: unknown): Loose => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const entries = Object.entries(value).map(([name, each]) => [name.toLowerCase(), each] as const);
  const read = new Map(entries);
  // Which of two the service would take cannot be known, so neither can be shown.
  if (read.size < entries.length) {
    throw wrong('body', 'Two names in the body differ in their letter case alone; leave one of them out.');
  }
  return Object.fromEntries(read);
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** One address in any of the service's shapes: a recipient, an attendee, a sender. */
const addressedIn = (value: unknown): Addressed[] => {
  if (value === undefined || value === null) return [];
  const { emailaddress } = looseOf(value);
  const { name, address } = looseOf(emailaddress);
  const named = typeof name === 'string' && name !== '' ? name : undefined;
  if (typeof address === 'string') return [{ ...(named === undefined ? {} : { name: named }), address }];
  // The service looks a name up by itself. What else stands here is shown as it is: nobody is left out.
  return [{ address: named ?? (typeof value === 'string' ? value : JSON.stringify(value)) }];
};

export const peopleIn = (value: unknown): Addressed[] => [value].flat().flatMap(addressedIn);

const contentIn = (value: unknown): { body?: SendView['body']; hides: boolean } => {
  const { contenttype, content } = looseOf(value);
  if (typeof content !== 'string') return { hides: false };
  if (String(contenttype).toLowerCase() !== 'html') return { body: { text: content }, hides: false };
  // Whoever decides sees every word that leaves, hidden ones too.
  const { all, hides } = htmlToText(content, { everything: true });
  return { body: { text: all.trim(), html: content }, hides };
};

export const sha256 = (base64: string): string =>
  createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');

export const enclosedIn = (value: unknown): Enclosed => {
  const given = looseOf(value);
  const item = looseOf(given['attachmentitem']);
  const bytes = textOf(given['contentbytes']);
  const size = given['size'] ?? item['size'];
  return {
    name: textOf(given['name'] ?? item['name']) ?? '(no name)',
    contentType: textOf(given['contenttype'] ?? item['contenttype']),
    size: bytes === undefined ? (typeof size === 'number' ? size : undefined) : Buffer.byteLength(bytes, 'base64'),
    sha256: bytes === undefined ? textOf(given['sha256']) : sha256(bytes),
    ...(bytes === undefined && typeof given['id'] === 'string' ? { id: given['id'] } : {}),
    ...(typeof given['copyof'] === 'string' ? { copyOf: given['copyof'] } : {}),
    ...(given['carried'] === true ? { carried: true } : {}),
  };
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const shown = new Set([
  ...['id', 'torecipients', 'ccrecipients', 'bccrecipients', 'replyto', 'from', 'subject', 'body'],
  ...['attachments', 'attendees', '@odata.etag'],
]);

// Exactly as marks are made: in a longer one anything could be told to whoever gets it, and nobody would see it.
const mark = /^(?:dry-run|run_[0-9a-z]{16}(?:[0-9a-z]{10})?)-\d{1,6}$/;
const isOurs = (value: unknown): boolean => typeof value === 'string' && mark.test(value);

/** What we write into mails and events ourselves, by which they are found again. */
const isMark = (each: unknown): boolean => {
  const { id, name, value } = looseOf(each);
  const ours = id === markProperty || id === changeProperty || name === markHeader;
  return ours && isOurs(value);
};

const enclosedFields = new Set([
  ...['@odata.type', 'id', 'name', 'contenttype', 'contentbytes', 'contentid', 'contentlocation', 'size', 'isinline'],
  ...['attachmentitem', 'lastmodifieddatetime', 'sha256', 'copyof', 'carried'],
]);

/** Attachments that are more than a file: an item with its own text, a link. */
const richIn = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : []).filter((each) =>
    Object.keys(looseOf(each)).some((name) => !enclosedFields.has(name)),
  );

/** Attendees of whom more is said than that they are invited: that they need not come, or are a room. */
const richAttendees = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : []).filter((each) =>
    Object.entries(looseOf(each)).some(
      ([name, said]) =>
        said !== null && name !== 'emailaddress' && !(name === 'type' && textOf(said)?.toLowerCase() === 'required'),
    ),
  );

/** Everything that has no place of its own in the view. */
const fieldsIn = (message: Loose): Record<string, unknown> => {
  const rest = Object.entries(message).filter(
    ([name, value]) => !shown.has(name) && value !== null && !(name === 'transactionid' && isOurs(value)),
  );
  const unmarked = rest.map(([name, value]) => {
    const isList = name === 'singlevalueextendedproperties' || name === 'internetmessageheaders';
    return [name, isList && Array.isArray(value) ? value.filter((each) => !isMark(each)) : value] as const;
  });
  const rich = richIn(message['attachments']);
  const attendees = richAttendees(message['attendees']);
  return {
    ...Object.fromEntries(unmarked.filter(([, value]) => !Array.isArray(value) || value.length > 0)),
    ...(attendees.length === 0 ? {} : { attendees }),
    ...(rich.length === 0 ? {} : { attachments: rich }),
  };
};

/** An address with its signs beyond plain letters spelled out; `undefined` where it has none. */
const spelled = (address: string): string | undefined => {
  const told = address.replace(/[^\x20-\x7e]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  return told === address ? undefined : told;
};

// Models write it, and forget to say so.
const looksLikeHtml = /<\/(?:p|div|a|b|strong|em|ul|ol|li|h[1-6]|table|tr|td|span|body|html)>|<br ?\/?>/i;

const warningsOf = (view: Omit<SendView, 'warnings'>, own: string | undefined, hides: boolean): string[] => {
  const { from, to, cc, bcc, replyTo, subject = '', body, attachments } = view;
  const names = [...to, ...cc, ...bcc].flatMap(({ name, address }) =>
    name?.includes('@') && !name.toLowerCase().includes(address.toLowerCase()) ? [`${name} is ${address}`] : [],
  );
  const foreign = [...(from === undefined ? [] : [from]), ...to, ...cc, ...bcc, ...replyTo].flatMap(({ address }) => {
    const told = spelled(address);
    return told === undefined ? [] : [`An address has signs that can be taken for others: ${address} is ${told}.`];
  });
  const called = [...to, ...cc, ...bcc, ...attachments].map(({ name = '' }) => name);
  const text = [subject, ...called, body?.html ?? body?.text ?? ''].join('');
  return [
    ...(replyTo.some(({ address }) => own === undefined || !same(address, own))
      ? [`Answers go to ${replyTo.map(({ address }) => address).join(', ')}, not to the sender.`]
      : []),
    ...(from !== undefined && own !== undefined && !same(from.address, own) ? [`It is sent as ${from.address}.`] : []),
    ...(bcc.length > 0 ? ['Somebody gets a copy that the others do not see.'] : []),
    ...names.map((each) => `A name looks like another address: ${each}.`),
    ...new Set(foreign),
    ...(/[\u202a-\u202e\u2066-\u2069]/.test(text) || withoutInvisible(text).length < text.length - 8
      ? ['The text has characters that are not seen.']
      : []),
    ...(body?.html === undefined && looksLikeHtml.test(body?.text ?? '')
      ? ['The body is HTML that is sent as plain text: whoever reads it sees the tags.']
      : []),
    ...(hides ? ['Parts of the body are hidden from whoever reads it; as text, every word is shown.'] : []),
  ];
};

// People who are told as a difference, and events inside of an event that could have guests of their own.
const furtherPeople = /^(?:(?:attendees|(?:to|cc|bcc)recipients)@|(?:instances|exceptionoccurrences|calendar)$)/;

/** A message or event as the service takes it, as a person sees it. `own` is the account's address. */
export const viewOf = (kind: SendView['kind'], given: unknown, own: string | undefined): SendView => {
  const message = looseOf(given);
  const [from] = peopleIn(message['from']);
  const { body, hides } = contentIn(message['body']);
  const view = {
    // Of one that may reach others nobody knows whom.
    kind: Object.keys(message).some((name) => furtherPeople.test(name)) ? ('request' as const) : kind,
    ...(from === undefined ? {} : { from }),
    to: [...peopleIn(message['torecipients']), ...peopleIn(message['attendees'])],
    cc: peopleIn(message['ccrecipients']),
    bcc: peopleIn(message['bccrecipients']),
    replyTo: peopleIn(message['replyto']),
    subject: textOf(message['subject']),
    body,
    attachments: Array.isArray(message['attachments']) ? message['attachments'].map(enclosedIn) : [],
    fields: fieldsIn(message),
  };
  return { ...view, warnings: warningsOf(view, own, hides) };
};
