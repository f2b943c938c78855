import { GraphError } from '../graph-error.ts';
import type { Body, EmailAddress, Header } from '../mailbox.ts';

export type ReadMail = {
  headers: Header[];
  subject: string;
  from: EmailAddress | null;
  to: EmailAddress[];
  cc: EmailAddress[];
  bcc: EmailAddress[];
  replyTo: EmailAddress[];
  messageId: string | undefined;
  inReplyTo: string | undefined;
  body: Body;
  files: { name: string; contentType: string; contentId: string | null; isInline: boolean; content: Uint8Array }[];
};

type Part = { headers: Header[]; content: Uint8Array };
const deepest = 10;

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const decoder = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
};

const unquote = (text: string): Uint8Array =>
  Buffer.from(
    text
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([\w-]+)\?([BQ])\?([^?]*)\?=/gi, (_, charset: string, kind: string, data: string) =>
      decoder(charset).decode(
        kind.toUpperCase() === 'B' ? Buffer.from(data, 'base64') : unquote(data.replaceAll('_', ' ')),
      ),
    );

const splitPart = (bytes: Uint8Array): Part => {
  const text = latin(bytes);
  const gap = /\r?\n\r?\n/.exec(text);
  const head = gap === null ? text : text.slice(0, gap.index);
  const content = gap === null ? new Uint8Array() : bytes.subarray(gap.index + gap[0].length);
  const headers = head
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .flatMap((line) => {
      const colon = line.indexOf(':');
      if (colon <= 0 || /\s/.test(line.slice(0, colon))) return [];
      const raw = Buffer.from(line.slice(colon + 1).trim(), 'latin1').toString('utf8');
      return [{ name: line.slice(0, colon), value: decodeWords(raw) }];
    });
  return { headers, content };
};

const header = (headers: readonly Header[], name: string): string | undefined =>
  headers.find((candidate) => candidate.name.toLowerCase() === name)?.value;
const parameter = (value: string, name: string): string | undefined => {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(value);
  return found?.[1] ?? found?.[2];
};

const contentOf = ({ headers, content }: Part): Uint8Array => {
  const encoding = header(headers, 'content-transfer-encoding')?.trim().toLowerCase();
  if (encoding === 'base64') return Buffer.from(latin(content), 'base64');
  return encoding === 'quoted-printable' ? unquote(latin(content)) : content;
};

export const readAddressList = (text: string | undefined): EmailAddress[] =>
  (text ?? '')
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, name = '', address] = /^(.*?)<([^<>]*)>$/.exec(entry) ?? [];
      if (address === undefined) return { name: entry, address: entry };
      const bare = name
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replace(/\\(["\\])/g, '$1');
      return { name: bare === '' ? address : bare, address };
    });

const walk = (part: Part, mail: Pick<ReadMail, 'files'> & { html?: string; text?: string }, depth: number): void => {
  const type = header(part.headers, 'content-type') ?? 'text/plain';
  const kind = (type.split(';')[0] ?? '').trim().toLowerCase();
  const boundary = parameter(type, 'boundary');
  if (kind.startsWith('multipart/') && boundary !== undefined && depth < deepest) {
    const pieces = latin(part.content).split(`--${boundary}`).slice(1);
    for (const piece of pieces) {
      if (piece.startsWith('--')) break;
      walk(splitPart(Buffer.from(piece.replace(/^\r?\n/, '').replace(/\r?\n$/, ''), 'latin1')), mail, depth + 1);
    }
    return;
  }
  const disposition = header(part.headers, 'content-disposition') ?? '';
  const name = parameter(disposition, 'filename') ?? parameter(type, 'name');
  const content = contentOf(part);
  if (name === undefined && !/^attachment/i.test(disposition) && (kind === 'text/plain' || kind === 'text/html')) {
    const text = decoder(parameter(type, 'charset') ?? 'utf-8').decode(content);
    if (kind === 'text/html') mail.html ??= text;
    else mail.text ??= text;
    return;
  }
  mail.files.push({
    name: decodeWords(name ?? 'attachment'),
    contentType: kind,
    contentId: header(part.headers, 'content-id')?.replace(/^<|>$/g, '') ?? null,
    isInline: /^inline/i.test(disposition),
    content,
  });
};

/** Reads base64 MIME as sent with `Content-Type: text/plain`. */
export const readMime = (body: Uint8Array): ReadMail => {
  const text = latin(body).replace(/\s+/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    throw new GraphError(400, 'ErrorMimeContentInvalidBase64String', 'Invalid base64 string for MIME content.');
  }
  const whole = splitPart(Buffer.from(text, 'base64'));
  if (whole.headers.length === 0) {
    throw new GraphError(400, 'ErrorMimeContentInvalid', 'The MIME content is invalid.');
  }
  const mail: Pick<ReadMail, 'files'> & { html?: string; text?: string } = { files: [] };
  walk(whole, mail, 0);
  const { headers } = whole;
  return {
    headers,
    subject: header(headers, 'subject') ?? '',
    from: readAddressList(header(headers, 'from'))[0] ?? null,
    to: readAddressList(header(headers, 'to')),
    cc: readAddressList(header(headers, 'cc')),
    bcc: readAddressList(header(headers, 'bcc')),
    replyTo: readAddressList(header(headers, 'reply-to')),
    messageId: header(headers, 'message-id'),
    inReplyTo: header(headers, 'in-reply-to'),
    body:
      mail.html === undefined
        ? { contentType: 'text', content: mail.text ?? '' }
        : { contentType: 'html', content: mail.html },
    files: mail.files,
  };
};
