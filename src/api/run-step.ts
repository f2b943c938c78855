import type { z } from '@hono/zod-openapi';
import type { Runs } from '#runs';
import type { Caller } from '#workspaces';
import { idempotencyKey } from './answer-again.ts';
import type { WaitingRun } from './approval-contract.ts';
import { maySend } from './may-send.ts';
import type { DryRun, StepResult, StepRun } from './run-contract.ts';

type Answered =
  | { status: 200; body: z.output<typeof StepResult> | z.output<typeof DryRun> }
  | { status: 202; body: z.output<typeof WaitingRun> };

type Rehearsed = Extract<Awaited<ReturnType<Runs['runStep']>>, { dryRun: unknown }>['dryRun'];

export const showRehearsed = (wrote: Rehearsed): Omit<z.output<typeof DryRun>, 'status' | 'account'> => {
  if (wrote === undefined) return { effect: null, request: null };
  const { effect, request, following, view } = wrote;
  return {
    effect,
    request: { ...request },
    ...(following === undefined ? {} : { following: [...following] }),
    ...(view === undefined ? {} : { view }),
  };
};

const show = (result: Awaited<ReturnType<Runs['runStep']>>): Answered => {
  if ('approval' in result) return { status: 202, body: { status: 'waiting_approval', ...result } };
  if (!('dryRun' in result)) return { status: 200, body: { status: 'succeeded', ...result } };
  const { dryRun, account } = result;
  return { status: 200, body: { status: 'dry_run', ...showRehearsed(dryRun), account } };
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
