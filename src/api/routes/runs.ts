import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Events } from '#events';
import { Fault } from '#kit';
import type { Runs, RunsRoom } from '#runs';
import { WaitingRun } from '../approval-contract.ts';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { holdsAutopilot } from '../may-send.ts';
import { body, json, operation, page } from '../operation.ts';
import { DryRun, RetriedRun, Run, RunQuery, RunRetry, RunSummary, StepResult, StepRun } from '../run-contract.ts';
import { runStep } from '../run-step.ts';
import type { TellRun } from '../tell-run.ts';

const StepAnswer = z.union([StepResult, DryRun]);

type Rooms = { runs: Runs; events: Pick<Events, 'history'>; tellRun: TellRun } & Pick<RunsRoom, 'retry' | 'cancel'>;

export const runRoutes = ({ runs, retry, cancel, events, tellRun }: Rooms) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('POST /v1/steps/{id}/run', {
        tag: 'Runs',
        summary: 'Run a step',
        description: 'Repeating a request with the same Idempotency-Key answers from the first run.',
        request: { params: ById, ...body(StepRun) },
        responses: {
          200: json(StepAnswer, 'What the step answered, or what a dry run would have sent.'),
          202: json(WaitingRun, 'A person must decide first. Nothing was written; the run goes on afterwards.'),
        },
      }),
      async (c) => {
        const given = { stepId: c.req.valid('param').id, body: c.req.valid('json') };
        const answer = await runStep(runs, callerOf(c), { ...given, key: c.req.header('idempotency-key') });
        return answer.status === 202 ? c.json(answer.body, 202) : c.json(answer.body, 200);
      },
    )
    .openapi(
      operation('GET /v1/runs', {
        tag: 'Runs',
        summary: 'The runs of this workspace',
        description:
          '`query` finds what people remember of a run; `from` and `to` are about when it was started. Where many have to be looked through for that, a page may hold few or none and lead on.',
        request: { query: RunQuery },
        responses: { 200: page(RunSummary, 'Newest first.') },
      }),
      async (c) => {
        const { limit, cursor, ...filter } = c.req.valid('query');
        const { workspaceId } = callerOf(c);
        const { items, ...rest } = await runs.list(workspaceId, filter, { limit, cursor });
        const abouts = await events.history.summaries(
          workspaceId,
          items.flatMap(({ eventId }) => eventId ?? []),
        );
        const withAbout = items.map((run) => ({ ...run, about: abouts.get(run.eventId ?? '') }));
        return c.json({ items: withAbout, ...rest }, 200);
      },
    )
    .openapi(
      operation('GET /v1/runs/{id}', {
        tag: 'Runs',
        summary: 'One run with its journal',
        request: { params: ById },
        responses: { 200: json(Run, 'The run.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { id } = c.req.valid('param');
        if (caller.kind === 'run' && caller.runId !== id) throw new Fault('not_found', 'There is no such run.');
        return c.json(await tellRun(caller.workspaceId, await runs.get(caller.workspaceId, id)), 200);
      },
    )
    .openapi(
      operation('POST /v1/runs/{id}/cancel', {
        tag: 'Runs',
        summary: 'Cancel a run',
        description:
          'What waits ends at once, and what it asked for is void. What is under way stops before its next write outside or turn of a model. Nothing is taken back.',
        request: { params: ById },
        responses: { 200: json(Run, 'The run: cancelled, or `cancelling` until it has stopped.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await tellRun(workspaceId, await cancel(workspaceId, c.req.valid('param').id, actor)), 200);
      },
    )
    .openapi(
      operation('POST /v1/runs/{id}/retry', {
        tag: 'Runs',
        summary: 'Try a run again that failed or was cancelled',
        description:
          'A new run with the same input and event, by the agent or tool as it is now. Refused where the first run did something outside, or may have, unless that is asked for.',
        request: { params: ById, ...body(RunRetry) },
        responses: { 202: json(RetriedRun, 'Started; look at the new run.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { workspaceId, actor } = caller;
        const asked = { workspaceId, actor, id: c.req.valid('param').id, ...c.req.valid('json') };
        return c.json(await retry({ ...asked, maySend: holdsAutopilot(caller) }), 202);
      },
    );
