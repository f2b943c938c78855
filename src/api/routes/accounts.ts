import { OpenAPIHono } from '@hono/zod-openapi';
import { type Accounts, integrationOf, readinessOf } from '#accounts';
import { type Catalogue, wrong } from '#kit';
import { Account, AccountChange, AccountChoice, AccountQuery, AccountTest, NewAccount } from '../account-contract.ts';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';

export const accountRoutes = ({ accounts, catalogue }: { accounts: Accounts; catalogue: Catalogue }) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/accounts', {
        tag: 'Accounts',
        summary: 'The connected accounts',
        description: 'With `step`, those of its service, and for each whether it can run the step or what it lacks.',
        request: { query: AccountQuery },
        responses: { 200: page(AccountChoice, 'Newest first.') },
      }),
      async (c) => {
        const { integration, step: stepId, limit, cursor, ...others } = c.req.valid('query');
        const step = stepId === undefined ? undefined : catalogue.step(stepId);
        if (stepId !== undefined && step === undefined) {
          throw wrong('step', `There is no step "${stepId}"; GET /v1/steps lists those there are.`);
        }
        if (integration !== undefined) integrationOf(catalogue, integration);
        const filter = { ...others, integration: integration ?? step?.integration.name };
        if (step !== undefined && integration !== undefined && step.integration.name !== integration) {
          throw wrong(['step', 'integration'], `The step "${stepId}" belongs to "${step.integration.name}".`);
        }
        const { items, ...more } = await accounts.list(callerOf(c).workspaceId, filter, { limit, cursor });
        const shown = items.map((item) => (step === undefined ? item : { ...item, step: readinessOf(item, step) }));
        return c.json({ items: shown, ...more }, 200);
      },
    )
    .openapi(
      operation('POST /v1/accounts', {
        tag: 'Accounts',
        summary: 'Connect an account by a typed credential',
        description: 'The service is asked first: a credential it refuses is not stored. A known identity is updated.',
        request: body(NewAccount),
        responses: { 201: json(Account, 'The account.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await accounts.connect(workspaceId, c.req.valid('json'), actor), 201);
      },
    )
    .openapi(
      operation('GET /v1/accounts/{id}', {
        tag: 'Accounts',
        summary: 'One account',
        request: { params: ById },
        responses: { 200: json(Account, 'The account.') },
      }),
      async (c) => c.json(await accounts.get(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    )
    .openapi(
      operation('PATCH /v1/accounts/{id}', {
        tag: 'Accounts',
        summary: 'Rename, pause or resume an account',
        request: { params: ById, ...body(AccountChange) },
        responses: { 200: json(Account, 'The account.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        const { id } = c.req.valid('param');
        const { name, state, paused = state && state === 'paused' } = c.req.valid('json');
        if (name !== undefined) await accounts.rename(workspaceId, id, name, actor);
        if (paused !== undefined) await accounts.setPaused(workspaceId, id, paused, actor);
        return c.json(await accounts.get(workspaceId, id), 200);
      },
    )
    .openapi(
      operation('DELETE /v1/accounts/{id}', {
        tag: 'Accounts',
        summary: 'Disconnect an account',
        request: { params: ById },
        responses: { 204: { description: 'Disconnected: the credential is gone and calls with it have ended.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await accounts.disconnect(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('POST /v1/accounts/{id}/test', {
        tag: 'Accounts',
        summary: 'Does the credential still work?',
        request: { params: ById },
        responses: { 200: json(AccountTest, 'Whether it works, and if not, why.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await accounts.test(workspaceId, c.req.valid('param').id, actor), 200);
      },
    );
