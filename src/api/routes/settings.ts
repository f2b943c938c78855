import { OpenAPIHono } from '@hono/zod-openapi';
import type { Notices } from '#notices';
import type { Workspaces } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { Settings, SettingsChange } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation } from '../operation.ts';

export const settingsRoutes = (rooms: { workspaces: Workspaces; notices: Pick<Notices, 'mailServer'> }) => {
  const { workspaces, notices } = rooms;
  const settingsOf = async (workspaceId: string) => {
    const { mailApprovers, ...settings } = await workspaces.settings(workspaceId);
    return { ...settings, approverNotices: { mail: mailApprovers, mailServer: notices.mailServer } };
  };
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/settings', {
        tag: 'Settings',
        summary: 'The settings of this workspace',
        responses: { 200: json(Settings, 'The settings.') },
      }),
      async (c) => c.json(await settingsOf(callerOf(c).workspaceId), 200),
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
        const { approverNotices, ...change } = c.req.valid('json');
        await workspaces.changeSettings(workspaceId, { ...change, mailApprovers: approverNotices?.mail }, actor);
        return c.json(await settingsOf(workspaceId), 200);
      },
    );
};
