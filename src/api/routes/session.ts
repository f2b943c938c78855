import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { Fault } from '#kit';
import type { Caller, Members, Sessions, Workspaces } from '#workspaces';
import type { ClientAddress } from '../client-address.ts';
import { NewPassword, Session, SignIn, SwitchWorkspace } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { cookieName } from '../identify.ts';
import { body, json, operation } from '../operation.ts';

const month = 30 * 24 * 60 * 60;

export const startSession = (c: Context<Env>, publicUrl: URL, token: string): void =>
  setCookie(c, cookieName(publicUrl), token, {
    httpOnly: true,
    // Lax, not Strict: people come back from a service's sign-in page by a link.
    sameSite: 'Lax',
    secure: publicUrl.protocol === 'https:',
    path: '/',
    maxAge: month,
  });

const person = (c: Context<Env>): Extract<Caller, { kind: 'member' }> => {
  const { caller } = c.var;
  if (caller?.kind !== 'member') throw new Fault('forbidden', 'This is for people, not for keys.');
  return caller;
};

export const sessionRoutes = (options: {
  sessions: Sessions;
  members: Members;
  workspaces: Workspaces;
  clientAddress: ClientAddress;
  publicUrl: URL;
}) => {
  const { sessions, members, workspaces, clientAddress, publicUrl } = options;
  const app = new OpenAPIHono<Env>({ defaultHook: refuseInvalid });

  const show = async (workspaceId: string, personId: string) => {
    const member = (await members.list(workspaceId)).find(({ id }) => id === personId);
    if (member === undefined) throw new Fault('unauthenticated', 'You are no longer a member.');
    return { member, workspace: await workspaces.get(workspaceId) };
  };

  return app
    .openapi(
      operation('POST /v1/session', {
        tag: 'Session',
        summary: 'Sign in with email address and password',
        request: body(SignIn),
        responses: { 200: json(Session, 'Signed in; the cookie is set.') },
      }),
      async (c) => {
        const token = await sessions.signIn({ ...c.req.valid('json'), address: clientAddress(c.env) });
        startSession(c, publicUrl, token);
        const caller = await sessions.find(token);
        if (caller === undefined) throw new Fault('unauthenticated', 'You are no longer a member.');
        return c.json(await show(caller.workspaceId, caller.personId), 200);
      },
    )
    .openapi(
      operation('GET /v1/session', {
        tag: 'Session',
        summary: 'Who is signed in, and in which workspace',
        responses: { 200: json(Session, 'The member and the workspace.') },
      }),
      async (c) => {
        const { workspaceId, personId } = person(c);
        return c.json(await show(workspaceId, personId), 200);
      },
    )
    .openapi(
      operation('PATCH /v1/session', {
        tag: 'Session',
        summary: 'Look at another of your workspaces',
        request: body(SwitchWorkspace),
        responses: { 200: json(Session, 'The member there and the workspace.') },
      }),
      async (c) => {
        const caller = person(c);
        const { workspaceId } = c.req.valid('json');
        await sessions.switchTo(caller, workspaceId);
        return c.json(await show(workspaceId, caller.personId), 200);
      },
    )
    .openapi(
      operation('DELETE /v1/session', {
        tag: 'Session',
        summary: 'Sign out',
        responses: { 204: { description: 'Signed out.' } },
      }),
      async (c) => {
        await sessions.end(person(c).sessionId);
        deleteCookie(c, cookieName(publicUrl), { path: '/', secure: publicUrl.protocol === 'https:' });
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('PUT /v1/session/password', {
        tag: 'Session',
        summary: 'Choose a new password',
        request: body(NewPassword),
        responses: { 204: { description: 'Chosen; other browsers are signed out.' } },
      }),
      async (c) => {
        const caller = person(c);
        const { password, currentPassword } = c.req.valid('json');
        await sessions.requirePassword(caller, currentPassword);
        await members.setPassword(caller.personId, password, caller.vouchedBy);
        await sessions.endOthers(caller);
        return c.body(null, 204);
      },
    );
};
