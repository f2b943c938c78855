import { OpenAPIHono, type z } from '@hono/zod-openapi';
import { Fault } from '#kit';
import type { Agents } from '#runs';
import { type Caller, opens } from '#workspaces';
import { idempotencyKey } from '../answer-again.ts';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { holdsAutopilot } from '../may-send.ts';
import { body, json, operation, page } from '../operation.ts';
import { Agent, AgentChange, AgentQuery, AgentStart, NewAgent, SavedAgent, StartedRun } from '../tool-contract.ts';

type Given = z.output<typeof NewAgent>['tools'];

/** Whoever lets an agent send by itself must hold that right; whom it may write to is for owners to widen. */
const requireRight = (caller: Caller, tools: Given | undefined): void => {
  if (tools?.some(({ permission }) => permission === 'autopilot') && !holdsAutopilot(caller)) {
    throw new Fault('forbidden', 'An agent with permission "autopilot" needs the key scope sends:autopilot.');
  }
  const mayWiden = opens(caller, { role: 'owner', scope: 'admin', also: 'sends:autopilot' });
  if (tools?.some(({ recipients }) => recipients === 'anyone') && !mayWiden) {
    throw new Fault('forbidden', 'recipients "anyone" needs an owner, or a key with admin and sends:autopilot.');
  }
};

export const agentRoutes = (agents: Agents) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/agents', {
        tag: 'Agents',
        summary: 'The agents of this workspace',
        request: { query: AgentQuery },
        responses: { 200: page(Agent, 'Newest first.') },
      }),
      async (c) => c.json(await agents.list(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('POST /v1/agents', {
        tag: 'Agents',
        summary: 'Make an agent',
        request: body(NewAgent),
        responses: { 201: json(SavedAgent, 'The agent, enabled. A secret that was made is shown this once.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const agent = c.req.valid('json');
        requireRight(caller, agent.tools);
        return c.json(await agents.create(caller.workspaceId, agent, caller.actor), 201);
      },
    )
    .openapi(
      operation('GET /v1/agents/{id}', {
        tag: 'Agents',
        summary: 'One agent',
        request: { params: ById },
        responses: { 200: json(Agent, 'The agent.') },
      }),
      async (c) => c.json(await agents.get(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    )
    .openapi(
      operation('PATCH /v1/agents/{id}', {
        tag: 'Agents',
        summary: 'Change, pause or enable an agent',
        description: 'A change of what it does makes a new version; runs go on with the one they began with.',
        request: { params: ById, ...body(AgentChange) },
        responses: { 200: json(SavedAgent, 'The agent. A secret that was made is shown this once.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { version, ...given } = c.req.valid('json');
        const { id } = c.req.valid('param');
        requireRight(caller, given.tools);
        // Whoever says what it does, and where it runs, chooses what leaves.
        const steers = given.instructions !== undefined || given.runner !== undefined;
        if (steers && given.tools === undefined && !holdsAutopilot(caller)) {
          const { tools } = await agents.get(caller.workspaceId, id);
          requireRight(
            caller,
            tools.filter(({ permission }) => permission === 'autopilot'),
          );
        }
        const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        return c.json(await agents.change(caller.workspaceId, id, change, caller.actor, version), 200);
      },
    )
    .openapi(
      operation('DELETE /v1/agents/{id}', {
        tag: 'Agents',
        summary: 'Delete an agent',
        description: 'Its triggers go with it. Runs that have begun go on to their end; others are cancelled.',
        request: { params: ById },
        responses: { 204: { description: 'Gone.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await agents.remove(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('POST /v1/agents/{id}/rotate', {
        tag: 'Agents',
        summary: 'Get a new secret for an agent on another platform',
        description: 'For 24 hours requests to it carry signatures of both.',
        request: { params: ById },
        responses: { 200: json(SavedAgent, 'The agent with its new secret, shown this once.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await agents.rotate(workspaceId, c.req.valid('param').id, actor), 200);
      },
    )
    .openapi(
      operation('POST /v1/agents/{id}/runs', {
        tag: 'Agents',
        summary: 'Start an agent by hand',
        description:
          'What the event would have brought is given as `input`. With `endUserId` it runs for one end user of an embedding platform.',
        request: { params: ById, ...body(AgentStart) },
        responses: { 202: json(StartedRun, 'Started; look at the run.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        const key = idempotencyKey(c.req.header('idempotency-key'));
        const started = await agents.start({
          workspaceId,
          actor,
          agentId: c.req.valid('param').id,
          ...c.req.valid('json'),
          requestKey: key === undefined ? undefined : `${actor.id} ${key}`,
        });
        return c.json(started, 202);
      },
    );
