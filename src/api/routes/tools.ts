import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Accounts } from '#accounts';
import { type Catalogue, Fault, visibleValue, wrong } from '#kit';
import { type AccountCandidate, accountCandidates, type RemoteRuns, type ToolDefinition, type Tools } from '#runs';
import type { Caller } from '#workspaces';
import { idempotencyKey } from '../answer-again.ts';
import { standingOf, WaitingCall, WaitingRun } from '../approval-contract.ts';
import { callerOf } from '../caller-of.ts';
import { ById, NamedQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { holdsAutopilot, maySend } from '../may-send.ts';
import { body, json, operation, page } from '../operation.ts';
import { showRehearsed } from '../run-step.ts';
import { NewTool, Tool, ToolChange, ToolDryRun, ToolResult, ToolRun, ToolUsers } from '../tool-contract.ts';

type AskedInput = z.output<typeof NewTool>['inputs'][number];

const toInputs = (inputs: readonly AskedInput[]): ToolDefinition['inputs'] =>
  inputs.map(({ required, ...input }) => ({ ...input, required: required ?? input.type === 'account' }));

/** Whoever lets a step send by itself must hold that right: agents that may send use the tool as it is saved. */
const requireRight = (caller: Caller, catalogue: Catalogue, steps: ToolDefinition['steps'] | undefined): void => {
  const alone = steps?.find(({ step: id, permission }) => {
    const step = catalogue.step(id);
    const canSend = step?.effect === 'send' || step?.sends !== undefined || step?.passThrough === true;
    return permission === 'autopilot' && canSend;
  });
  if (alone === undefined || holdsAutopilot(caller)) return;
  throw new Fault(
    'forbidden',
    `The step "${alone.key}" sends by itself; saving that needs the key scope sends:autopilot.`,
  );
};

const showPlayed = (steps: Awaited<ReturnType<Tools['dryRun']>>): z.output<typeof ToolDryRun> => ({
  status: 'dry_run',
  steps: steps.map(({ wrote, input = null, ...rest }) => ({ ...rest, input, ...showRehearsed(wrote) })),
});

/** With the accounts that could have been named, where the account is what is wrong. */
const offeringAccounts = async (
  error: unknown,
  find: (fault: Fault) => Promise<AccountCandidate[]>,
): Promise<unknown> => {
  if (!(error instanceof Fault) || (error.code !== 'invalid_input' && error.code !== 'not_found')) return error;
  const candidates = await find(error);
  if (candidates.length === 0) return error;
  const { code, message, details, retryAfterMs, cause } = error;
  return new Fault(code, message, { details: { ...details, candidates }, retryAfterMs, cause });
};

type Rooms = { tools: Tools; catalogue: Catalogue; remote: RemoteRuns; accounts: Accounts };

export const toolRoutes = ({ tools, catalogue, remote, accounts }: Rooms) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/tools', {
        tag: 'Tools',
        summary: 'The tools of this workspace',
        request: { query: NamedQuery },
        responses: { 200: page(Tool, 'Newest first.') },
      }),
      async (c) => c.json(await tools.list(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('POST /v1/tools', {
        tag: 'Tools',
        summary: 'Make a tool of steps',
        description: 'A tool that could not run is refused with the place of every mistake.',
        request: body(NewTool),
        responses: { 201: json(Tool, 'The tool.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { workspaceId, actor } = caller;
        const { inputs, ...tool } = c.req.valid('json');
        requireRight(caller, catalogue, tool.steps);
        return c.json(await tools.create(workspaceId, { ...tool, inputs: toInputs(inputs) }, actor), 201);
      },
    )
    .openapi(
      operation('POST /v1/tools/check', {
        tag: 'Tools',
        summary: 'Look for mistakes in a tool without saving it',
        reads: true,
        description: 'Refused as saving it would be, with the place of every mistake.',
        request: body(NewTool),
        responses: { 204: { description: 'It could be saved.' } },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { inputs, ...tool } = c.req.valid('json');
        requireRight(caller, catalogue, tool.steps);
        await tools.check(caller.workspaceId, { ...tool, inputs: toInputs(inputs) });
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('GET /v1/tools/{id}', {
        tag: 'Tools',
        summary: 'One tool',
        request: { params: ById },
        responses: { 200: json(Tool, 'The tool.') },
      }),
      async (c) => c.json(await tools.get(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    )
    .openapi(
      operation('PATCH /v1/tools/{id}', {
        tag: 'Tools',
        summary: 'Change a tool',
        description: 'Makes a new version, unless it was so already; runs go on with the one they began with.',
        request: { params: ById, ...body(ToolChange) },
        responses: { 200: json(Tool, 'The tool.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { workspaceId, actor } = caller;
        const { id } = c.req.valid('param');
        const { inputs, version, ...rest } = c.req.valid('json');
        // An input's default is part of what is sent.
        const isFilled = inputs !== undefined && rest.steps === undefined && !holdsAutopilot(caller);
        requireRight(caller, catalogue, isFilled ? (await tools.get(workspaceId, id)).steps : rest.steps);
        const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        const change = { ...given, ...(inputs === undefined ? {} : { inputs: toInputs(inputs) }) };
        return c.json(await tools.change(workspaceId, id, change, actor, version), 200);
      },
    )
    .openapi(
      operation('GET /v1/tools/{id}/agents', {
        tag: 'Tools',
        summary: 'The agents that use a tool',
        description: 'While there are any it cannot be deleted.',
        request: { params: ById },
        responses: { 200: json(ToolUsers, 'All of them.') },
      }),
      async (c) => c.json({ items: await tools.users(callerOf(c).workspaceId, c.req.valid('param').id) }, 200),
    )
    .openapi(
      operation('DELETE /v1/tools/{id}', {
        tag: 'Tools',
        summary: 'Delete a tool',
        description: 'Refused while an agent uses it.',
        request: { params: ById },
        responses: { 204: { description: 'Gone.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await tools.remove(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('POST /v1/tools/{id}/run', {
        tag: 'Tools',
        summary: 'Run a tool',
        description: 'Repeating a request with the same Idempotency-Key answers from the first run.',
        request: { params: ById, ...body(ToolRun) },
        responses: {
          200: json(z.union([ToolResult, ToolDryRun]), 'What the tool answered, or what a dry run would have sent.'),
          202: json(z.union([WaitingRun, WaitingCall]), 'A person must decide first; the run goes on afterwards.'),
        },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { workspaceId, actor } = caller;
        const toolId = c.req.valid('param').id;
        const { input, endUserId, permission, dryRun } = c.req.valid('json');
        const alone = maySend(caller, permission);
        const key = idempotencyKey(c.req.header('idempotency-key'));
        if (caller.kind === 'run') {
          if (dryRun) throw wrong('dryRun', 'dryRun: a run that another platform carries out only does.');
          if (endUserId !== undefined) throw wrong('endUserId', "For whom this run is, its agent's accounts say.");
          // What may leave by itself is its agent's to say, never the caller's.
          const answer = await remote.use(caller, { toolId, input, requestKey: key });
          if (!('approval' in answer)) {
            // An agent reads what people would see, as it does over MCP.
            const output = visibleValue(answer.output).value;
            return c.json({ status: 'succeeded' as const, ...answer, output }, 200);
          }
          const { runId, approval } = answer;
          return c.json({ status: 'waiting_approval' as const, runId, approval: standingOf(approval) }, 202);
        }
        const offering = async (error: unknown): Promise<never> => {
          const asked = { ...input, endUserId };
          throw await offeringAccounts(error, async (fault) =>
            accountCandidates(accounts, workspaceId, await tools.get(workspaceId, toolId), asked, fault),
          );
        };
        if (dryRun) {
          const played = await tools.dryRun({ workspaceId, actor, toolId, input, endUserId }).catch(offering);
          return c.json(showPlayed(played), 200);
        }
        const requestKey = key === undefined ? undefined : `${actor.id} ${key}`;
        const request = { workspaceId, actor, toolId, input, endUserId, maySend: alone, requestKey };
        const answer = await tools.run(request).catch(offering);
        if ('approval' in answer) return c.json({ status: 'waiting_approval' as const, ...answer }, 202);
        return c.json({ status: 'succeeded' as const, ...answer }, 200);
      },
    );
