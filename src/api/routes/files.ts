import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { FileStore } from '#runs';
import { bodyOf, readBytes } from '../body-limits.ts';
import { callerOf } from '../caller-of.ts';
import { ById, FileQuery, StoredFile } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation } from '../operation.ts';

const maxBytes = 25 * 1024 * 1024;
const plainType = /^[\w.+-]+\/[\w.+-]+$/;

export const fileRoutes = (files: FileStore) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('POST /v1/files', {
        tag: 'Files',
        summary: 'Keep a file to attach it later by reference',
        description:
          'The body is the file itself, at most 25 MB; its content type is kept. Files are removed after 7 days.',
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
        const contentType = plainType.test(given) ? given : 'application/octet-stream';
        const bytes = await readBytes(bodyOf(c), maxBytes);
        return c.json(await files.of(callerOf(c).workspaceId).store({ name, contentType, bytes }), 201);
      },
    )
    .openapi(
      operation('GET /v1/files/{id}', {
        tag: 'Files',
        summary: 'The content of a file',
        request: { params: ById },
        responses: { 200: { description: 'The bytes, always as a download.' } },
      }),
      async (c) => {
        const { name, contentType, bytes } = await files.of(callerOf(c).workspaceId).read(c.req.valid('param').id);
        // Never shown by the browser itself: what people attach may be a page with scripts.
        c.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
        c.header('content-type', contentType);
        return c.body(new Uint8Array(bytes));
      },
    );
