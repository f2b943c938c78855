import { OpenAPIHono } from '@hono/zod-openapi';
import { Fault } from '#kit';
import type { RemoteRuns } from '#runs';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation } from '../operation.ts';
import { RunEnding, StartedRun } from '../tool-contract.ts';

export const remoteRunRoutes = (remote: RemoteRuns) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid }).openapi(
    operation('POST /v1/runs/{id}/finish', {
      tag: 'Runs',
      summary: 'End a run that another platform carries out',
      description:
        'By the key of that run alone. What waits for a person is still sent once it is approved; the run ends then.',
      request: { params: ById, ...body(RunEnding) },
      responses: { 200: json(StartedRun, 'How the run stands: ended, or waiting for a person first.') },
    }),
    async (c) => {
      const caller = callerOf(c);
      if (caller.kind !== 'run' || caller.runId !== c.req.valid('param').id) {
        throw new Fault('not_found', 'There is no such run.');
      }
      const given = c.req.valid('json');
      const ending =
        given.status === 'succeeded'
          ? { status: given.status, output: given.output ?? null }
          : { status: given.status, error: given.error ?? 'The agent says that it failed.' };
      return c.json(await remote.finish(caller, ending), 200);
    },
  );
