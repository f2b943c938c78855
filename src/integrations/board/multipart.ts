import { createHash } from 'node:crypto';
import type { UpstreamRequest } from '#kit';

export type Upload = { name: string; contentType: string; bytes: Uint8Array };

const quoted = (text: string): string => text.replace(/[\r\n]+/g, ' ').replaceAll('"', '%22');

/**
 * A form with one file. The boundary never changes for the same upload, so that a repeated request is the same one, and
 * depends on all of it: what is uploaded cannot hold it and go on as another field.
 */
export const formWith = ({ name, contentType, bytes }: Upload, setCover: boolean, mark: string) => {
  const digest = createHash('sha256').update(`${mark}\n${contentType}\n${name}\n`).update(bytes).digest('hex');
  const boundary = `switchboard-${digest.slice(0, 32)}`;
  const fields = { name: name.slice(0, 256), setCover: String(setCover) };
  const head = Object.entries(fields)
    .map(([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
    .join('');
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted(name)}"\r\nContent-Type: ${quoted(contentType)}\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
};

const head =
  /^--(?<boundary>\S+)\r\nContent-Disposition: form-data; name="name"\r\n\r\n(?<name>.*?)\r\n--[^]*?name="file"[^]*?\r\n\r\n/;

/** The name and size of the file in a request made of `formWith`, if it carries one. The file itself is not copied. */
export const fileIn = ({ body }: Pick<UpstreamRequest, 'body'>): { name: string; size: number } | undefined => {
  if (!(body instanceof Uint8Array)) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // As Latin-1, in which every byte is one character.
  const found = head.exec(bytes.toString('latin1', 0, 8_192));
  const { boundary, name } = found?.groups ?? {};
  if (found === null || boundary === undefined || name === undefined) return undefined;
  const tail = `\r\n--${boundary}--\r\n`.length;
  return { name: Buffer.from(name, 'latin1').toString(), size: bytes.length - found[0].length - tail };
};
