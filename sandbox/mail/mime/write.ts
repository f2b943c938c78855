import type { EmailAddress, Message } from '../mailbox.ts';
import { contentOf } from '../messages/attachment-view.ts';

const plain = /^[\x20-\x7e]*$/;
const encodeWord = (text: string): string =>
  plain.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

const one = ({ name, address }: EmailAddress): string => {
  if (name === '' || name === address) return `<${address}>`;
  return plain.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : `${encodeWord(name)} <${address}>`;
};
const many = (list: readonly EmailAddress[]): string => list.map(one).join(',\r\n\t');

const folded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');

const part = (headers: string[], content: string): string => `${headers.join('\r\n')}\r\n\r\n${content}\r\n`;

const bodyPart = (message: Message): string => {
  const type = `Content-Type: text/${message.body.contentType === 'html' ? 'html' : 'plain'}; charset="utf-8"`;
  return part([type, 'Content-Transfer-Encoding: base64'], folded(Buffer.from(message.body.content)));
};

/** A message as RFC 5322 text, for `/$value`. */
export const writeMime = (message: Message): string => {
  const files = message.attachments.filter(({ kind }) => kind === 'file');
  const headers = [
    ...(message.from === null ? [] : [`From: ${one(message.from)}`]),
    ...(message.to.length === 0 ? [] : [`To: ${many(message.to)}`]),
    ...(message.cc.length === 0 ? [] : [`CC: ${many(message.cc)}`]),
    ...(message.isDraft && message.bcc.length > 0 ? [`BCC: ${many(message.bcc)}`] : []),
    ...(message.replyTo.length === 0 ? [] : [`Reply-To: ${many(message.replyTo)}`]),
    `Subject: ${encodeWord(message.subject)}`,
    `Date: ${new Date(message.sent).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${message.internetMessageId}`,
    ...(message.inReplyTo === undefined ? [] : [`In-Reply-To: ${message.inReplyTo}`]),
    ...message.headers
      .filter(({ name }) => /^x-/i.test(name))
      .map(({ name, value }) => `${name}: ${encodeWord(value)}`),
    'MIME-Version: 1.0',
  ];
  if (files.length === 0) return `${headers.join('\r\n')}\r\n${bodyPart(message)}`;
  const boundary = `_sandbox_${message.seq}_`;
  const parts = [
    bodyPart(message),
    ...files.map((file) =>
      part(
        [
          `Content-Type: ${file.contentType ?? 'application/octet-stream'}; name="${encodeWord(file.name)}"`,
          `Content-Disposition: ${file.isInline ? 'inline' : 'attachment'}; filename="${encodeWord(file.name)}"`,
          ...(file.contentId === null ? [] : [`Content-ID: <${file.contentId}>`]),
          'Content-Transfer-Encoding: base64',
        ],
        folded(contentOf(file)),
      ),
    ),
  ];
  const body = parts.map((text) => `--${boundary}\r\n${text}`).join('');
  return `${headers.join('\r\n')}\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`;
};
