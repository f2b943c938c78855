import type { Context } from 'hono';
import type { Sink } from '#kit';
import type { Env } from '../env.ts';

export const plainType = /^[\w.+-]+\/[\w.+-]+$/;

/** Never shown by the browser itself: what people attach may be a page with scripts. */
export const downloadAs = (c: Context<Env>, name: string, contentType: string): void => {
  c.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`);
  c.header('content-type', plainType.test(contentType) ? contentType : 'application/octet-stream');
};

/** What is handed on piece by piece, as fast as it is taken. Whoever hangs up ends it. */
export const streamOf = (read: (into: Sink) => Promise<void>): ReadableStream<Uint8Array> => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  read((chunk) => writer.write(chunk))
    .then(() => writer.close())
    .catch((error: unknown) => writer.abort(error).catch(() => {}));
  return readable;
};
