import type { UpstreamRequest } from '#kit';

export type Upload = { name: string; contentType: string; bytes: Uint8Array };

const quoted = (text: string): string => text.replace(/[\r\n]+/g, ' ').replaceAll('"', '%22');

/** A form with one file. The boundary never changes for the same upload, so that a repeated request is the same one. */
export const formWith = ({ name, contentType, bytes }: Upload, setCover: boolean, boundary: string) => {
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

/** The name and size of the file in a request, if it carries one. */
export const fileIn = async ({ headers, body }: UpstreamRequest) => {
  if (!(body instanceof Uint8Array)) return undefined;
  const form = await new Response(Buffer.from(body), { headers: { ...headers } }).formData();
  const [name, file] = [form.get('name'), form.get('file')];
  return file instanceof File && typeof name === 'string' ? { name, size: file.size } : undefined;
};
