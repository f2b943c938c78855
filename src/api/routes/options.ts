import { OpenAPIHono } from '@hono/zod-openapi';
import { pageOf } from '#kit';
import type { Pickers } from '#runs';
import { callerOf } from '../caller-of.ts';
import { ById, Option, OptionQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { operation, page } from '../operation.ts';

export const optionRoutes = (pickers: Pickers) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid }).openapi(
    operation('GET /v1/options/{id}', {
      tag: 'Catalogue',
      summary: 'Values for a drop-down',
      description:
        'Fields of steps and triggers name their picker in `picker`; what narrows the choice is given as further parameters. What is kept by its id, such as the boards or folders of a trigger, is called so here.',
      request: { params: ById, query: OptionQuery },
      responses: { 200: page(Option, 'What can be chosen.') },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      const { limit, cursor, ...query } = c.req.valid('query');
      const all = await pickers.options(callerOf(c).workspaceId, id, query);
      return c.json(
        pageOf([id, query], all, ({ value }) => value, { limit, cursor }),
        200,
      );
    },
  );
