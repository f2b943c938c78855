import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Runs } from '#runs';
import { WaitingRun } from '../approval-contract.ts';
import { callerOf } from '../caller-of.ts';
import { ById, DryRun, Run, RunQuery, RunSummary, StepResult, StepRun } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';
import { runStep } from '../run-step.ts';

const StepAnswer = z.union([StepResult, DryRun]);

export const runRoutes = (runs: Runs) =>
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
        request: { query: RunQuery },
        responses: { 200: page(RunSummary, 'Newest first.') },
      }),
      async (c) => {
        const { limit, cursor, ...filter } = c.req.valid('query');
        return c.json(await runs.list(callerOf(c).workspaceId, filter, { limit, cursor }), 200);
      },
    )
    .openapi(
      operation('GET /v1/runs/{id}', {
        tag: 'Runs',
        summary: 'One run with its journal',
        request: { params: ById },
        responses: { 200: json(Run, 'The run.') },
      }),
      async (c) => c.json(await runs.get(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    );
