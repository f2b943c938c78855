import { ReadableStream as PullStream } from 'node:stream/web';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Sink } from '#kit';
import type { Env } from '../env.ts';

const bytes = z.string().openapi({ format: 'binary' });
export const download = {
  200: { description: 'The bytes, always as a download.', content: { '*/*': { schema: bytes } } },
};

export const plainType = /^[\w.+-]+\/[\w.+-]+$/;

/** Never shown by the browser itself: what people attach may be a page with scripts. */
export const downloadAs = (c: Context<Env>, name: string, contentType: string): void => {
  c.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`);
  c.header('content-type', plainType.test(contentType) ? contentType : 'application/octet-stream');
};

async function* piecesOf(read: (into: Sink) => Promise<void>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  read((chunk) => writer.write(chunk))
    .then(() => writer.close())
    .catch((error: unknown) => writer.abort(error).catch(() => {}));
  yield* readable;
}

/** What is handed on piece by piece, once and as fast as somebody takes it. Whoever hangs up ends it. */
export const streamOf = (read: (into: Sink) => Promise<void>): ReadableStream<Uint8Array> =>
  PullStream.from(piecesOf(read)) as ReadableStream<Uint8Array>;
