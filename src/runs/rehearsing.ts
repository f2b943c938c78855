import { type Account, type Caller, type Chosen, requireScopes, withOffer } from '#accounts';
import {
  type ApprovalRecords,
  type ApprovalRow,
  type Composed,
  type OpenedEnclosure,
  type Planner,
  type Rehearsed,
  rehearse,
} from '#effects';
import { type CatalogueStep, Fault, type Planned, type SendView, type StepContext } from '#kit';
import type { Gather } from './gathering.ts';
import { marksFrom, positions, type Stage } from './playing.ts';
import { changedIn, parseChanges } from './step-input.ts';

export type Recomposed = Composed & { input: Record<string, unknown> };

export type Rehearsal = { wrote: Rehearsed } | { output: unknown };

/** Plays steps without writing anything: to show what would leave. */
export type Rehearsals = {
  /** Plays a step up to its first write, which is shown instead of sent. Without one, its output is known. */
  rehearse(work: {
    workspaceId: string;
    endUserId: string | undefined;
    step: CatalogueStep;
    account: Account | Chosen;
    input: unknown;
    mayLoad?: ((address: string) => Promise<boolean>) | undefined;
  }): Promise<Rehearsal>;
  /** What would leave if the step that waits were given something else. */
  recompose(waiting: ApprovalRow, account: Account, changes: Record<string, unknown>): Promise<Recomposed>;
  /** What would leave with it in that place of its view, with its content. */
  openEnclosed(waiting: ApprovalRow, account: Account, place: number): Promise<OpenedEnclosure>;
};

export const createRehearsals = (options: {
  stage: Stage;
  caller: Caller;
  planner: Planner;
  approvals: Pick<ApprovalRecords, 'hasWritten'>;
  gather: Gather;
  signal: AbortSignal;
}): Rehearsals => {
  const { caller, planner, approvals, gather, signal } = options;
  const { stepOf, contextOf, play } = options.stage;

  const ordinalsOf = ({ ordinal }: ApprovalRow) => {
    const ordinalsFrom = ordinal - (ordinal % positions);
    return { ordinalsFrom, ordinalsTo: ordinalsFrom + positions };
  };

  /** What it has done stays as it was given: composed otherwise, it would no longer be what waits here. */
  const refuseBegun = async (waiting: ApprovalRow): Promise<void> => {
    const { workspace_id: workspaceId, run_id: runId } = waiting;
    if (!(await approvals.hasWritten({ workspaceId, runId, ...ordinalsOf(waiting) }))) return;
    throw new Fault(
      'conflict',
      'The step has done a part of it already, by what it was given; approve or reject what waits as it is.',
    );
  };

  /** What a step that waits would do, given something else or the same. */
  const replan = async (waiting: ApprovalRow, account: Account, changes: Record<string, unknown>) => {
    const { workspace_id: workspaceId, run_id: runId, composed_at: now } = waiting;
    const step = stepOf(waiting.step_id);
    const parsed = parseChanges(step, waiting.input, changes);
    const mark = marksFrom(runId, ordinalsOf(waiting).ordinalsFrom);
    const endUserId = waiting.end_user_id ?? undefined;
    const asked = { step, input: parsed, workspaceId, accountId: account.id, endUserId, signal };
    const input = (await gather.anew(asked)) as typeof parsed;
    const context = contextOf({ workspaceId, endUserId, step, account, mark, now }, []);
    const where = { workspaceId, step, account: context.account, signal };
    const planned = await planner.plan(where, (upstream) => play(step, input, { ...context, upstream }, () => false));
    if (planned === undefined) throw new Fault('invalid_input', 'With these changes nothing would be sent; reject it.');
    return { where, planned, input };
  };

  const rehearsed: Rehearsals['rehearse'] = async ({
    workspaceId,
    endUserId,
    step,
    account,
    input: given,
    mayLoad,
  }) => {
    requireScopes(account, step);
    const asked = { step, input: given, workspaceId, accountId: account.id, endUserId, mayLoad, signal };
    const input = await gather.anew(asked);
    const context = contextOf({ workspaceId, endUserId, step, account, mark: (n) => `dry-run-${n}` }, []);
    const where = { workspaceId, step, account: context.account, signal };
    let output: unknown;
    const compose = async (upstream: StepContext['upstream']): Promise<void> => {
      output = await play(step, input, { ...context, upstream }, () => false);
    };
    const asSend = async (planned: readonly Planned[]): Promise<Rehearsal> => {
      const { requests, view } = await planner.compose(where, planned);
      const [request, ...following] = requests;
      return request === undefined ? { output } : { wrote: { effect: 'send', request, following, view } };
    };
    // What writes something down and then sends is shown as the send it is in the end.
    const planned = step.sends?.(input) ? await planner.plan(where, compose) : undefined;
    if (planned !== undefined) return asSend(planned);
    const wrote = await rehearse(caller, { workspaceId, accountId: account.id, step }, compose);
    if (wrote?.effect === 'send') return asSend([wrote]);
    return wrote === undefined ? { output } : { wrote };
  };

  return {
    rehearse: (asked) =>
      rehearsed(asked).catch((error: unknown) => {
        throw withOffer(error, asked.account, asked.step);
      }),

    recompose: async (waiting, account, changes) => {
      await refuseBegun(waiting);
      const { where, planned, input } = await replan(waiting, account, changes);
      return { ...(await planner.compose(where, planned)), input };
    },

    openEnclosed: async (waiting, account, place) => {
      const asked = (waiting.view as SendView).attachments[place];
      if (asked === undefined) throw new Fault('not_found', 'There is no such attachment.');
      const { where, planned } = await replan(waiting, account, {});
      const now = (await planner.compose(where, planned)).view.attachments[place];
      if (now === undefined || changedIn(now, asked).length > 0) {
        throw new Fault('conflict', 'What would be sent now is not what waits here; look at the approval again.');
      }
      const read = await planner.open(where, planned, place);
      if (read === undefined) throw new Fault('conflict', 'This can only be opened once it has left.');
      return { name: now.name, contentType: now.contentType, read };
    },
  };
};
