import { z } from 'zod';
import { type Account, type Caller, type Chosen, withOffer } from '#accounts';
import type { Clock } from '#clock';
import {
  type ApprovalRecords,
  type CallRecord,
  type Clearance,
  type Excess,
  type Guard,
  type Guarded,
  type Planner,
} from '#effects';
import {
  type Catalogue,
  type CatalogueStep,
  Fault,
  listed,
  type SendView,
  type StepContext,
  type UpstreamRequest,
} from '#kit';
import type { Log } from '#log';
import { timeOfId } from '#store';
import { memoryOf } from './before.ts';
import { afterWrites } from './done-before.ts';
import type { FileStore } from './files.ts';
import type { Gather } from './gathering.ts';
import { longestDoubtOf, waitsForService } from './patience.ts';
import { createStage, marksFrom, positions } from './playing.ts';
import { createRehearsals, type Rehearsals } from './rehearsing.ts';
import type { RunRow } from './run-records.ts';
import { changedIn } from './step-input.ts';

/** One step of a run: what is done, as whom, and what the run allows. */
export type StepWork = {
  run: Pick<
    RunRow,
    | 'id'
    | 'workspace_id'
    | 'started_by'
    | 'event_id'
    | 'agent_id'
    | 'attempts'
    | 'tries'
    | 'waited_ms'
    | 'input'
    | 'end_user_id'
  >;
  /** Which step of its run it is: writes and marks of each have numbers of their own, also when it is resumed. */
  position: number;
  step: CatalogueStep;
  account: Account | Chosen;
  input: unknown;
  /** Whether what counts as a send may leave without a person's approval. */
  maySend: boolean;
  /** Why something that may leave by itself needs a person after all; `undefined` when it does not. */
  doubt?: ((view: SendView) => Promise<string | undefined>) | undefined;
  /** Why removing something needs a person; `undefined` when it does not. */
  brake?: ((request: UpstreamRequest) => Promise<string | undefined>) | undefined;
  /** Why a write that gives the service these addresses to load needs a person; `undefined` when it does not. */
  lure?: ((addresses: readonly string[]) => Promise<string | undefined>) | undefined;
  /** Why something said where people talk needs a person; `undefined` when it does not. */
  rounds?: ((request: UpstreamRequest) => Promise<string | undefined>) | undefined;
  /** Whether what is at an address may be loaded for it; left out, every one may that the world can reach. */
  mayLoad?: ((address: string) => Promise<boolean>) | undefined;
  /** Why what was just intended needs a person, because others intended the same at that moment. */
  excess?: Excess | undefined;
  /** Refuses what may not be begun any more. What has written something, or a person has decided about, comes to its end. */
  permit?: (() => Promise<void>) | undefined;
  /** Why nothing is done any more but to look for what was begun. */
  ends?: Fault | undefined;
  /** Called before the first write: whatever the run must remember is stored by then, and perhaps what it will write. */
  begin: Guarded['begin'];
  stored?: Guarded['stored'];
  /** Told what a person made of the input before approving it: that is what is carried out. */
  onEdited(input: unknown): void;
  onCall(call: CallRecord): void;
};

export type Performed = { output: unknown; warnings: string[] };

/** Carries steps out, one at a time: the same for a step by itself and for the steps of a tool. */
export type Performer = Rehearsals & {
  stepOf(id: string): CatalogueStep;
  /** Throws AwaitApproval where a person must decide first; performed again afterwards, it goes on from there. */
  perform(work: StepWork): Promise<Performed>;
  /**
   * Why a step cannot be carried out any more, as far as is known: of what an earlier execution began, nobody finds out now
   * whether it happened.
   */
  giveUp(work: Pick<StepWork, 'run' | 'position'>, why: unknown): Promise<unknown>;
  /** Ends as unknown whatever a run began and nobody has looked for. */
  giveUpAll(run: Pick<RunRow, 'id' | 'workspace_id' | 'started_by' | 'event_id'>): Promise<unknown>;
  /** Ends the calls under way. */
  stop(): void;
};

type Ordinals = Parameters<Guard['done']>[1];

const ordinalsOf = (position: number): Ordinals => ({
  ordinalsFrom: position * positions,
  ordinalsTo: (position + 1) * positions,
});

const inDoubt = 'What it had begun before may have happened: look before it is repeated.';

const Caused = z.object({ event: z.object({ occurredAt: z.coerce.date() }) });

/** When what the run is about began: with its event, or with itself. */
const begunAt = ({ id, input }: Pick<RunRow, 'id' | 'input'>): Date => {
  const caused = Caused.safeParse(input);
  return caused.success ? caused.data.event.occurredAt : timeOfId(id);
};

export const createPerformer = (options: {
  catalogue: Catalogue;
  caller: Caller;
  guard: Guard;
  planner: Planner;
  clearance: Clearance;
  approvals: ApprovalRecords;
  files: FileStore;
  gather: Gather;
  clock: Clock;
  log: Log;
}): Performer => {
  const { guard, clearance, approvals, gather, clock } = options;
  const stopping = new AbortController();
  const stage = createStage(options);
  const { stepOf, contextOf, play } = stage;

  const giveUpAll: Performer['giveUpAll'] = ({
    workspace_id: workspaceId,
    id: runId,
    started_by: actor,
    event_id: eventId,
  }) => guard.giveUp({ workspaceId, runId, actor, eventId }, { ordinalsFrom: -1, ordinalsTo: 2 ** 31 - 1 });

  const giveUp: Performer['giveUp'] = async ({ run, position }, why) => {
    if (!(why instanceof Fault) || why.code === 'unavailable' || run.attempts === 1) return why;
    const { workspace_id: workspaceId, id: runId, started_by: actor, event_id: eventId } = run;
    const left = await guard.giveUp({ workspaceId, runId, actor, eventId }, ordinalsOf(position));
    return left ? new Fault('outcome_unknown', `${why.message} ${inDoubt}`, { cause: why }) : why;
  };

  const tellDone = async (
    error: unknown,
    { where, ordinals, wrote }: { where: Parameters<Guard['done']>[0]; ordinals: Ordinals; wrote: boolean },
  ): Promise<unknown> => {
    if (!wrote || !(error instanceof Fault)) return error;
    return afterWrites(error, await guard.done(where, ordinals));
  };

  return {
    ...createRehearsals({ ...options, stage, signal: stopping.signal }),
    stop: () => stopping.abort(),
    stepOf,

    perform: async (asked) => {
      const {
        run,
        position,
        step,
        account,
        input: given,
        maySend,
        doubt,
        brake,
        lure,
        rounds,
        mayLoad,
        excess,
        permit,
        ends,
        begin,
        stored,
        onEdited,
        onCall,
      } = asked;
      const warnings: string[] = [];
      let wrote = false;
      let inDoubt = false;
      const from = position * positions;
      const where = { workspaceId: run.workspace_id, runId: run.id };
      const resumed = run.attempts > 1;
      const decided: Awaited<ReturnType<ApprovalRecords['ofStep']>> = resumed
        ? await approvals.ofStep(where, from, from + positions)
        : new Map();
      const ordinals = ordinalsOf(position);
      const isUnderWay = async () =>
        decided.size > 0 || (resumed && (await approvals.hasWritten({ ...where, ...ordinals })));
      if (ends === undefined && permit !== undefined && !(await isUnderWay())) await permit();
      // What waited is composed again as it was: from what it was given, or edited to, and by the time it was then.
      const [waited] = decided.values();
      const endUserId = run.end_user_id ?? undefined;
      const asking = {
        step,
        input: given,
        workspaceId: where.workspaceId,
        accountId: account.id,
        endUserId,
        of: { runId: run.id, position },
        mayLoad,
        stored,
        onCall,
        signal: stopping.signal,
      };
      const gathered = () =>
        gather.anew(asking).catch(async (error: unknown) => {
          throw await giveUp({ run, position }, error);
        });
      const input = waited?.input ?? (await gathered());
      const isApproved = waited?.status === 'approved';
      const edited = isApproved ? changedIn((await gather.again(asking)) as typeof waited.input, waited.input) : [];
      if (edited.length > 0) {
        warnings.push(`A person changed ${listed(edited, 5)} before approving this.`);
        onEdited(input);
      }
      const now = waited?.composed_at ?? clock.now();
      const mark = marksFrom(run.id, from);
      const { writes: begun, before: remembered } = resumed
        ? await guard.begun(where, ordinals)
        : { writes: [], before: undefined };
      const { workspaceId } = where;
      const { before, kept } = memoryOf(remembered);
      const context = contextOf({ workspaceId, endUserId, step, account, mark, now, begun, before }, warnings);
      const work = {
        ...where,
        begunAt: () => begunAt(run),
        accountId: account.id,
        actor: run.started_by,
        eventId: run.event_id,
        step,
        input,
        context,
        before: kept,
        ...ordinals,
        begin,
        stored,
        maySend,
        doubt,
        brake,
        lure,
        rounds,
        excess,
        decided,
        resumed,
        lastTry: !waitsForService(run),
        longestDoubtMs: longestDoubtOf(run),
        seen: 'seen' in account ? account.seen() : undefined,
      };
      const compose = (upstream: StepContext['upstream']) =>
        play(step, input, { ...context, upstream, warn: () => {} }, () => false);
      // It may have to look at what is there, or to ask a person.
      if (step.sends !== undefined) await stored?.();
      const { upstream, settle } = guard.upstreamFor(
        work,
        (call) => {
          wrote ||= call.effect !== 'read';
          inDoubt ||= call.effect !== 'read' && call.fault === 'outcome_unknown';
          onCall(call);
        },
        stopping.signal,
      );
      try {
        if (ends !== undefined) throw ends;
        await clearance.beforeStep(work, compose, stopping.signal);
        const output = await play(step, input, { ...context, upstream }, () => inDoubt);
        await settle();
        return { output, warnings };
      } catch (error) {
        await settle(error);
        throw withOffer(await tellDone(error, { where, ordinals, wrote: wrote || resumed }), account, step);
      }
    },

    giveUp,
    giveUpAll,
  };
};
