import { Fault, isDeeper, storableJson, type UpstreamRequest, wrong } from '#kit';

const maxRequestBytes = 40 * 1024 * 1024;
const deepest = 128;

const isJson = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);

/** The request's body as bytes, with its content type: JSON unless it is bytes, or text of another declared type. */
export const encodeBody = (
  { method, body }: Pick<UpstreamRequest, 'method' | 'body'>,
  declared: string | undefined,
): { bytes: Buffer; type: string } | undefined => {
  if (body === undefined) return undefined;
  if (method === 'GET' || method === 'HEAD') throw wrong('body', `A ${method} request has no body.`);
  const encoded = encode(body, declared);
  if (encoded.bytes.length > maxRequestBytes) {
    throw new Fault('too_large', `The request is larger than ${maxRequestBytes} bytes.`);
  }
  return encoded;
};

/** Whether bytes that are UTF-8 are read as such: in another encoding the same bytes could say something else. */
const saysUtf8 = (type: string): boolean => !/charset/i.test(type) || /;\s*charset="?utf-8"?\s*(?:;|$)/i.test(type);

const encode = (body: unknown, declared: string | undefined): { bytes: Buffer; type: string } => {
  if (declared !== undefined && !saysUtf8(declared)) {
    throw wrong('headers', 'Bodies are sent as UTF-8; leave the charset out of Content-Type.');
  }
  if (body instanceof Uint8Array) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return { bytes, type: declared ?? 'application/octet-stream' };
  }
  if (declared !== undefined && !isJson(declared)) {
    if (typeof body === 'string') return { bytes: Buffer.from(body), type: declared };
    throw wrong('body', `A body of type "${declared}" must be text.`);
  }
  const text: string | undefined = JSON.stringify(body);
  if (text === undefined) throw new Fault('invalid_input', 'The body cannot be written as JSON.');
  return { bytes: Buffer.from(text), type: declared ?? 'application/json' };
};

const utf8 = new TextDecoder('utf-8', { fatal: true });
const decoderOf = (charset: string): TextDecoder =>
  charset.toLowerCase() === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true });

const decodeText = (bytes: Buffer, type: string): string | undefined => {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    const text = decoderOf(charset).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};

/**
 * The answer's body: parsed where it says it is JSON and is, otherwise its text; null when there is none. What is no text
 * at all (a photo, say) comes as a data: address, so that not a byte is lost.
 */
export const decodeBody = (bytes: Buffer, type = ''): unknown => {
  if (bytes.length === 0) return null;
  const text = decodeText(bytes, type);
  if (text === undefined) {
    return `data:${/^[\w.+-]+\/[\w.+-]+/.exec(type)?.[0] ?? 'application/octet-stream'};base64,${bytes.toString('base64')}`;
  }
  if (!isJson(type)) return text;
  try {
    const value: unknown = JSON.parse(storableJson(text));
    return isDeeper(value, deepest) ? text : value;
  } catch {
    return text;
  }
};
