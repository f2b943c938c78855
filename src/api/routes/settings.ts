import { OpenAPIHono } from '@hono/zod-openapi';
import type { Workspaces } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { Settings, SettingsChange } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation } from '../operation.ts';

export const settingsRoutes = (workspaces: Workspaces) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/settings', {
        tag: 'Settings',
        summary: 'The settings of this workspace',
        responses: { 200: json(Settings, 'The settings.') },
      }),
      async (c) => c.json(await workspaces.settings(callerOf(c).workspaceId), 200),
    )
    .openapi(
      operation('PATCH /v1/settings', {
        tag: 'Settings',
        summary: 'Change the settings of this workspace',
        request: body(SettingsChange),
        responses: { 200: json(Settings, 'The settings.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await workspaces.changeSettings(workspaceId, c.req.valid('json'), actor);
        return c.json(await workspaces.settings(workspaceId), 200);
      },
    );
