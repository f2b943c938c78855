import { OpenAPIHono } from '@hono/zod-openapi';
import type { Connects } from '#accounts';
import { ConnectLink } from '../account-contract.ts';
import { callerOf } from '../caller-of.ts';
import { NewConnect } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation } from '../operation.ts';

export const connectRoutes = ({ connects, publicUrl }: { connects: Connects; publicUrl: URL }) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid }).openapi(
    operation('POST /v1/connect', {
      tag: 'Accounts',
      summary: 'A link that connects an account in the browser',
      description:
        'Open it in a pop-up, or send it to the person whose account it is. It works in one browser and for 10 minutes.',
      request: body(NewConnect),
      responses: { 201: json(ConnectLink, 'Where to send the person.') },
    }),
    async (c) => {
      const { workspaceId, actor } = callerOf(c);
      const { token, expiresAt } = await connects.start(workspaceId, c.req.valid('json'), actor);
      return c.json({ url: new URL(`/connect/${token}`, publicUrl).href, expiresAt }, 201);
    },
  );
