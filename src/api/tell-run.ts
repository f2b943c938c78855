import type { Events } from '#events';
import { Fault } from '#kit';
import type { Run, Runs, StepTold } from '#runs';

export type ToldRun = Run & Partial<StepTold> & { about?: string };

/** A step that a later version does not have, or an account that is gone, leaves the run as it is. */
const unlessGone = (error: unknown): undefined => {
  if (!(error instanceof Fault && error.code === 'not_found')) throw error;
};

/** A run as people look at it: with what started it, as whom it acted, and what came of its step. */
export const createTellRun =
  ({ runs, events }: { runs: Pick<Runs, 'told'>; events: Pick<Events, 'history'> }) =>
  async (workspaceId: string, run: Run): Promise<ToldRun> => {
    const { eventId } = run;
    const abouts = eventId === undefined ? undefined : await events.history.summaries(workspaceId, [eventId]);
    const about = abouts?.get(eventId ?? '');
    const told = await runs.told(workspaceId, run).catch(unlessGone);
    return { ...run, ...(about === undefined ? {} : { about }), ...told };
  };

export type TellRun = ReturnType<typeof createTellRun>;
