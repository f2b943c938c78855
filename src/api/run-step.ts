import type { z } from '@hono/zod-openapi';
import type { Runs } from '#runs';
import type { Caller } from '#workspaces';
import { idempotencyKey } from './answer-again.ts';
import type { DryRun, StepResult, StepRun } from './contract.ts';
import { maySend } from './may-send.ts';

const show = (result: Awaited<ReturnType<Runs['runStep']>>): z.output<typeof StepResult> | z.output<typeof DryRun> => {
  if (!('dryRun' in result)) return { status: 'succeeded', ...result };
  const { dryRun, account } = result;
  return {
    status: 'dry_run',
    effect: dryRun?.effect ?? null,
    request: dryRun === undefined ? null : { ...dryRun.request },
    account,
  };
};

/** Runs a step for a caller who was let in, as the request says. */
export const runStep = async (
  runs: Runs,
  caller: Caller,
  { stepId, body, key: header }: { stepId: string; body: z.output<typeof StepRun>; key: string | undefined },
) => {
  const { accountId, secretId, endUserId, input, permission, dryRun } = body;
  const key = idempotencyKey(header);
  const result = await runs.runStep({
    workspaceId: caller.workspaceId,
    actor: caller.actor,
    stepId,
    accountId,
    secretId,
    endUserId,
    input,
    maySend: maySend(caller, permission),
    dryRun,
    requestKey: key === undefined ? undefined : `${caller.actor.id} ${key}`,
  });
  return show(result);
};
