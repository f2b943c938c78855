import { createHash } from 'node:crypto';
import type { Addressed, Enclosed, SendView } from '#kit';
import { htmlToText } from '../body/html-to-text.ts';
import { withoutInvisible } from '../body/invisible.ts';

/** A JSON object as it may come from a caller, its names read as the service reads them. */
export type Loose = Readonly<Record<string, unknown>>;

export const looseOf = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]))
    : {};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** One address in any of the service's shapes: a recipient, an attendee, a sender. */
const addressedIn = (value: unknown): Addressed[] => {
  const { emailaddress } = looseOf(value);
  const { name, address } = looseOf(emailaddress);
  if (typeof address !== 'string') return [];
  return [{ ...(typeof name === 'string' && name !== '' ? { name } : {}), address }];
};

export const peopleIn = (value: unknown): Addressed[] => (Array.isArray(value) ? value.flatMap(addressedIn) : []);

const contentIn = (value: unknown): SendView['body'] => {
  const { contenttype, content } = looseOf(value);
  if (typeof content !== 'string') return undefined;
  const isHtml = String(contenttype).toLowerCase() === 'html';
  return isHtml ? { text: htmlToText(content).all.trim(), html: content } : { text: content };
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
  };
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const shown = new Set([
  ...['id', 'torecipients', 'ccrecipients', 'bccrecipients', 'replyto', 'from', 'sender', 'subject', 'body'],
  ...['attachments', 'singlevalueextendedproperties', 'internetmessageheaders', 'attendees', '@odata.etag'],
]);

const warningsOf = (view: Omit<SendView, 'warnings'>, own: string | undefined): string[] => {
  const { from, to, cc, bcc, replyTo, subject = '', body } = view;
  const names = [...to, ...cc, ...bcc].flatMap(({ name, address }) =>
    name?.includes('@') && !name.toLowerCase().includes(address.toLowerCase()) ? [`${name} is ${address}`] : [],
  );
  const text = `${subject}${body?.html ?? body?.text ?? ''}`;
  return [
    ...(replyTo.some(({ address }) => own === undefined || !same(address, own))
      ? [`Answers go to ${replyTo.map(({ address }) => address).join(', ')}, not to the sender.`]
      : []),
    ...(from !== undefined && own !== undefined && !same(from.address, own) ? [`It is sent as ${from.address}.`] : []),
    ...(bcc.length > 0 ? ['Somebody gets a copy that the others do not see.'] : []),
    ...names.map((each) => `A name looks like another address: ${each}.`),
    ...(/[\u202a-\u202e\u2066-\u2069]/.test(text) || withoutInvisible(text).length < text.length - 8
      ? ['The text has characters that are not seen.']
      : []),
  ];
};

/** A message or event as the service takes it, as a person sees it. `own` is the account's address. */
export const viewOf = (kind: SendView['kind'], given: unknown, own: string | undefined): SendView => {
  const message = looseOf(given);
  const [from] = addressedIn(message['from']);
  const view = {
    kind,
    ...(from === undefined ? {} : { from }),
    to: [...peopleIn(message['torecipients']), ...peopleIn(message['attendees'])],
    cc: peopleIn(message['ccrecipients']),
    bcc: peopleIn(message['bccrecipients']),
    replyTo: peopleIn(message['replyto']),
    subject: textOf(message['subject']),
    body: contentIn(message['body']),
    attachments: Array.isArray(message['attachments']) ? message['attachments'].map(enclosedIn) : [],
    fields: Object.fromEntries(Object.entries(message).filter(([name, value]) => !shown.has(name) && value !== null)),
  };
  return { ...view, warnings: warningsOf(view, own) };
};
