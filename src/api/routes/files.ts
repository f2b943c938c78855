import { createHash } from 'node:crypto';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Fault, type Files } from '#kit';
import { type FileStore, maxFileBytes, partBytes } from '#runs';
import { bodyOf, refuseLarge } from '../body-limits.ts';
import { callerOf } from '../caller-of.ts';
import { ById, FileQuery, StoredFile } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation } from '../operation.ts';
import { giveTime } from '../slow-bodies.ts';
import { download, downloadAs, plainType } from './downloads.ts';

/** A file's content piece by piece, as fast as it is taken. */
const contentOf = (files: Files, { ref, size }: { ref: string; size: number }): ReadableStream<Uint8Array> => {
  let at = 0;
  return new ReadableStream(
    {
      pull: async (controller) => {
        if (at >= size) return controller.close();
        const to = Math.min(size, at + partBytes);
        controller.enqueue(await files.slice(ref, at, to));
        at = to;
      },
    },
    { highWaterMark: 0 },
  );
};

export const fileRoutes = (files: FileStore) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('POST /v1/files', {
        tag: 'Files',
        summary: 'Keep a file to attach it later by reference',
        description:
          'The body is the file itself, not a form around it, at most 150 MB; its content type is kept. Files are removed after 7 days.',
        request: {
          query: FileQuery,
          body: {
            required: true,
            content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
          },
        },
        responses: { 201: json(StoredFile, 'The reference.') },
      }),
      async (c) => {
        const { name } = c.req.valid('query');
        const given = c.req.header('content-type')?.split(';')[0]?.trim() ?? '';
        if (given.toLowerCase() === 'multipart/form-data') {
          throw new Fault(
            'invalid_input',
            'Send the file itself as the body, with its own content-type, not within a form.',
          );
        }
        const contentType = plainType.test(given) ? given : 'application/octet-stream';
        refuseLarge(c, maxFileBytes);
        const file = files.of(callerOf(c).workspaceId).create({ name, contentType });
        const digest = createHash('sha256');
        giveTime(c.env.incoming);
        for await (const chunk of bodyOf(c)) {
          digest.update(chunk);
          await file.write(chunk);
        }
        const kept = await file.keep();
        c.set('bodyDigest', digest.digest('hex'));
        return c.json({ id: kept.ref, ...kept }, 201);
      },
    )
    .openapi(
      operation('GET /v1/files/{id}', {
        tag: 'Files',
        summary: 'The content of a file',
        request: { params: ById },
        responses: download,
      }),
      async (c) => {
        const own = files.of(callerOf(c).workspaceId);
        const file = await own.about(c.req.valid('param').id);
        downloadAs(c, file.name, file.contentType);
        c.header('content-length', String(file.size));
        return c.body(contentOf(own, file));
      },
    );
