import type { Clock } from '#clock';
import { Fault } from '#kit';
import type { Store } from '#store';
import { type Scope, stillMay } from '#workspaces';
import type { RunRow } from './run-records.ts';

type Started = Pick<RunRow, 'workspace_id' | 'started_by' | 'agent_id' | 'attempts' | 'may_send'>;

/** Whether who started a run could do so again: with a stolen key that was revoked nothing more begins, nor leaves unasked. */
export type Starter = {
  /** Refuses to begin a run of an agent that somebody started and that waited for its turn since. */
  require(run: Started): Promise<void>;
  /** Whether a run that goes on may still send without asking. */
  maySend(run: Started): Promise<boolean>;
};

export const createStarter = ({ store, clock }: { store: Store; clock: Clock }): Starter => {
  const still = ({ workspace_id: workspaceId, started_by: actor }: Started, scope: Scope): Promise<boolean> =>
    stillMay(store.of(workspaceId), { workspaceId, actor, door: { role: 'builder', scope }, now: clock.now() });
  return {
    require: async (run) => {
      const isByHand = run.agent_id !== null && run.started_by.kind !== 'system';
      if (!isByHand || run.attempts > 1 || (await still(run, 'run'))) return;
      const who = run.started_by.kind === 'key' ? 'The key that started it' : 'Who started it';
      throw new Fault('forbidden', `${who} may not start agents any more, so this run was not begun.`);
    },
    // Who has just begun it was looked at then; of an agent, its own permission counts.
    maySend: async (run) =>
      run.may_send && (run.attempts === 1 || run.agent_id !== null || (await still(run, 'sends:autopilot'))),
  };
};
