import { OpenAPIHono } from '@hono/zod-openapi';
import { pageOf } from '#kit';
import type { Members, Sessions } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { ById, Member, NewMember, RoleChange, SignInLink, WholeQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';

export const memberRoutes = (options: { members: Members; sessions: Sessions; publicUrl: URL }) => {
  const { members, sessions, publicUrl } = options;
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/members', {
        tag: 'Members',
        summary: 'The people of this workspace',
        request: { query: WholeQuery },
        responses: { 200: page(Member, 'Newest first.') },
      }),
      async (c) => {
        const all = await members.list(callerOf(c).workspaceId);
        return c.json(
          pageOf('members', all, ({ id }) => id, c.req.valid('query')),
          200,
        );
      },
    )
    .openapi(
      operation('POST /v1/members', {
        tag: 'Members',
        summary: 'Add a person',
        request: body(NewMember),
        responses: { 201: json(Member, 'The new member; make a sign-in link to let them in.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await members.add(workspaceId, c.req.valid('json'), actor), 201);
      },
    )
    .openapi(
      operation('PATCH /v1/members/{id}', {
        tag: 'Members',
        summary: "Change a member's role",
        request: { params: ById, ...body(RoleChange) },
        responses: { 200: json(Member, 'The member.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        const { id } = c.req.valid('param');
        return c.json(await members.changeRole(workspaceId, id, c.req.valid('json').role, actor), 200);
      },
    )
    .openapi(
      operation('DELETE /v1/members/{id}', {
        tag: 'Members',
        summary: 'Remove a member',
        request: { params: ById },
        responses: { 204: { description: 'Removed and signed out.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await members.remove(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('POST /v1/members/{id}/sign-in-link', {
        tag: 'Members',
        summary: 'A link that signs this member in once, within 15 minutes',
        request: { params: ById },
        responses: { 201: json(SignInLink, 'The link; treat it like a password.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        const { id } = await members.get(workspaceId, c.req.valid('param').id);
        const { token, expiresAt } = await sessions.createLink(workspaceId, id, { actor, vouchedBy: workspaceId });
        return c.json({ url: new URL(`/sign-in/${token}`, publicUrl).href, expiresAt }, 201);
      },
    );
};
