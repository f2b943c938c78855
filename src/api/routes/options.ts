import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Pickers } from '#runs';
import { callerOf } from '../caller-of.ts';
import { ById, Option, OptionQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation } from '../operation.ts';

export const optionRoutes = (pickers: Pickers) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid }).openapi(
    operation('GET /v1/options/{id}', {
      tag: 'Catalogue',
      summary: 'Values for a drop-down',
      description:
        'Fields of steps name their picker in `picker`; what narrows the choice is given as further parameters.',
      request: { params: ById, query: OptionQuery },
      responses: { 200: json(z.object({ items: z.array(Option) }), 'What can be chosen.') },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      return c.json({ items: await pickers.options(callerOf(c).workspaceId, id, c.req.valid('query')) }, 200);
    },
  );
