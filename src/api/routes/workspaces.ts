import { OpenAPIHono } from '@hono/zod-openapi';
import { Fault, pageOf } from '#kit';
import type { Deleting, Workspaces } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { ById, OwnWorkspace, WholeQuery, Workspace, WorkspaceChange } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';

export const workspaceRoutes = ({ workspaces, deleting }: { workspaces: Workspaces; deleting: Deleting }) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/workspaces', {
        tag: 'Workspaces',
        summary: 'The workspaces you belong to; for a key, its own',
        request: { query: WholeQuery },
        responses: { 200: page(OwnWorkspace, 'Newest first.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const all =
          caller.kind === 'member'
            ? await workspaces.ofPerson(caller.personId, caller.vouchedBy)
            : [{ ...(await workspaces.get(caller.workspaceId)), role: null }];
        return c.json(
          pageOf('workspaces', all, ({ id }) => id, c.req.valid('query')),
          200,
        );
      },
    )
    .openapi(
      operation('POST /v1/workspaces', {
        tag: 'Workspaces',
        summary: 'A new workspace, owned by you',
        request: body(WorkspaceChange),
        responses: { 201: json(OwnWorkspace, 'The new workspace.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        if (caller.kind !== 'member') throw new Fault('forbidden', 'This is for people, not for keys.');
        return c.json(await workspaces.create(c.req.valid('json').name, caller), 201);
      },
    )
    .openapi(
      operation('DELETE /v1/workspaces/{id}', {
        tag: 'Workspaces',
        summary: 'Delete a workspace that you own, with everything in it',
        description:
          'At once nobody comes in any more, by session, key or program, and nothing is started or sent; your session goes on in another workspace of yours, or ends. Its accounts are disconnected at the services, then everything that is kept is removed within minutes. There is no way back. The first workspace of an installation stays.',
        request: { params: ById },
        responses: { 204: { description: 'Deleted.' } },
      }),
      async (c) => {
        const caller = callerOf(c);
        if (caller.kind !== 'member') throw new Fault('forbidden', 'This is for people, not for keys.');
        await deleting.begin(c.req.valid('param').id, caller);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('GET /v1/workspace', {
        tag: 'Workspaces',
        summary: 'The workspace of this key or session',
        responses: { 200: json(Workspace, 'The workspace.') },
      }),
      async (c) => c.json(await workspaces.get(callerOf(c).workspaceId), 200),
    )
    .openapi(
      operation('PATCH /v1/workspace', {
        tag: 'Workspaces',
        summary: 'Rename the workspace',
        request: body(WorkspaceChange),
        responses: { 200: json(Workspace, 'The workspace.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await workspaces.rename(workspaceId, c.req.valid('json').name, actor);
        return c.json(await workspaces.get(workspaceId), 200);
      },
    )
    .openapi(
      operation('POST /v1/stop', {
        tag: 'Workspaces',
        summary: 'Emergency stop',
        description: 'Nothing is sent or started until resumed; nothing is lost.',
        responses: { 200: json(Workspace, 'The workspace, stopped.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await workspaces.stop(workspaceId, actor);
        return c.json(await workspaces.get(workspaceId), 200);
      },
    )
    .openapi(
      operation('POST /v1/resume', {
        tag: 'Workspaces',
        summary: 'Go on after an emergency stop',
        responses: { 200: json(Workspace, 'The workspace, running.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await workspaces.resume(workspaceId, actor);
        return c.json(await workspaces.get(workspaceId), 200);
      },
    );
