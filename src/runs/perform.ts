import { z } from 'zod';
import { type Account, type Caller, type Chosen, requireScopes, withOffer } from '#accounts';
import type { Clock } from '#clock';
import {
  type ApprovalRecords,
  type ApprovalRow,
  type CallRecord,
  type Clearance,
  type Composed,
  type Excess,
  type Guard,
  type Guarded,
  type OpenedEnclosure,
  type Planner,
  type Rehearsed,
  rehearse,
} from '#effects';
import {
  type Catalogue,
  type CatalogueStep,
  Fault,
  listed,
  type Planned,
  type SendView,
  type StepContext,
  type UpstreamRequest,
} from '#kit';
import type { Log } from '#log';
import { endOfId, timeOfId } from '#store';
import type { FileStore } from './files.ts';
import type { Gather } from './gathering.ts';
import type { RunRow } from './run-records.ts';
import { changedIn, parseChanges } from './step-input.ts';

/** One step of a run: what is done, as whom, and what the run allows. */
export type StepWork = {
  run: Pick<RunRow, 'id' | 'workspace_id' | 'started_by' | 'event_id' | 'attempts' | 'input' | 'end_user_id'>;
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
  /** Called before the first write: whatever the run must remember is stored by then, and perhaps what it will write. */
  begin: Guarded['begin'];
  stored?: Guarded['stored'];
  /** Told what a person made of the input before approving it: that is what is carried out. */
  onEdited(input: unknown): void;
  onCall(call: CallRecord): void;
};

export type Performed = { output: unknown; warnings: string[] };

/** Carries steps out, one at a time: the same for a step by itself and for the steps of a tool. */
export type Performer = {
  stepOf(id: string): CatalogueStep;
  /** Throws AwaitApproval where a person must decide first; performed again afterwards, it goes on from there. */
  perform(work: StepWork): Promise<Performed>;
  /**
   * Why a step cannot be carried out any more, as far as is known: of what an earlier execution began, nobody finds out now
   * whether it happened.
   */
  giveUp(work: Pick<StepWork, 'run' | 'position'>, why: unknown): Promise<unknown>;
  /** Plays a step up to its first write, which is shown instead of sent. Without one, its output is known. */
  rehearse(
    work: Pick<StepWork, 'step' | 'account' | 'input' | 'mayLoad'> & {
      workspaceId: string;
      endUserId: string | undefined;
    },
  ): Promise<Rehearsal>;
  /** What would leave if the step that waits were given something else. */
  recompose(waiting: ApprovalRow, account: Account, changes: Record<string, unknown>): Promise<Recomposed>;
  /** What would leave with it in that place of its view, with its content. */
  openEnclosed(waiting: ApprovalRow, account: Account, place: number): Promise<OpenedEnclosure>;
  /** Ends the calls under way. */
  stop(): void;
};

export type Recomposed = Composed & { input: Record<string, unknown> };

export type Rehearsal = { wrote: Rehearsed } | { output: unknown };

export const maxAttempts = 8;

const positions = 1_000;
const ordinalsOf = (position: number) => ({
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

/** An answer of another shape than the service's is the service's doing; what was written before it may have happened. */
const oddAnswer = (wrote: boolean): Fault =>
  wrote
    ? new Fault('outcome_unknown', 'The service answered in a way we do not know. It may have happened: look first.')
    : new Fault('upstream_unavailable', 'The service answered in a way we do not know; try again later.');

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
  const { catalogue, caller, guard, planner, clearance, approvals, files, gather, clock, log } = options;
  const stopping = new AbortController();

  const contextOf = (
    where: {
      workspaceId: string;
      step: CatalogueStep;
      account: Account;
      endUserId?: string | undefined;
      mark: (n: number) => string;
      now?: Date;
    },
    warnings: string[],
  ): Omit<StepContext, 'upstream'> => {
    const { id, name, identity, scopes } = where.account;
    const endUserId = where.endUserId ?? where.account.endUserId;
    return {
      account: { id, name, identity, scopes },
      files: files.of(where.workspaceId, { accountId: id, endUserId }),
      now: where.now ?? clock.now(),
      require: (needed) => requireScopes(where.account, { integration: where.step.integration, scopes: needed }),
      warn: (text) => void warnings.push(text),
      mark: where.mark,
    };
  };

  const play = async (step: CatalogueStep, input: unknown, context: StepContext, wrote: () => boolean) => {
    try {
      return step.output.parse(await step.run(input, context));
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      log.warn({ err: error, step: step.id }, 'the service answered in another shape than expected');
      throw oddAnswer(wrote());
    }
  };

  const stepOf = (id: string): CatalogueStep => {
    const step = catalogue.step(id);
    if (step === undefined)
      throw new Fault('not_found', `There is no step "${id}"; GET /v1/steps lists those there are.`);
    return step;
  };

  /** What a step that waits would do, given something else or the same. */
  const replan = async (waiting: ApprovalRow, account: Account, changes: Record<string, unknown>) => {
    const { workspace_id: workspaceId, run_id: runId, ordinal, composed_at: now } = waiting;
    const step = stepOf(waiting.step_id);
    const parsed = parseChanges(step, waiting.input, changes);
    const mark = marksFrom(runId, ordinal - (ordinal % positions));
    const endUserId = waiting.end_user_id ?? undefined;
    const asked = { step, input: parsed, workspaceId, accountId: account.id, endUserId, signal: stopping.signal };
    const input = (await gather.anew(asked)) as typeof parsed;
    const context = contextOf({ workspaceId, endUserId, step, account, mark, now }, []);
    const where = { workspaceId, step, account: context.account, signal: stopping.signal };
    const planned = await planner.plan(where, (upstream) => play(step, input, { ...context, upstream }, () => false));
    if (planned === undefined) throw new Fault('invalid_input', 'With these changes nothing would be sent; reject it.');
    return { where, planned, input };
  };

  // An occurrence that is met again after a restored backup starts a run whose id ends alike.
  const marksFrom = (runId: string, from: number) => (n: number) => `run_${endOfId(runId)}-${from + n}`;

  const rehearsed: Performer['rehearse'] = async ({ workspaceId, endUserId, step, account, input: given, mayLoad }) => {
    requireScopes(account, step);
    const { signal } = stopping;
    const asked = { step, input: given, workspaceId, accountId: account.id, endUserId, mayLoad, signal };
    const input = await gather.anew(asked);
    const context = contextOf({ workspaceId, endUserId, step, account, mark: (n) => `dry-run-${n}` }, []);
    const where = { workspaceId, step, account: context.account, signal: stopping.signal };
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

  const giveUp: Performer['giveUp'] = async ({ run, position }, why) => {
    if (!(why instanceof Fault) || why.code === 'unavailable' || run.attempts === 1) return why;
    const { workspace_id: workspaceId, id: runId, started_by: actor, event_id: eventId } = run;
    const left = await guard.giveUp({ workspaceId, runId, actor, eventId }, ordinalsOf(position));
    return left ? new Fault('outcome_unknown', `${why.message} ${inDoubt}`, { cause: why }) : why;
  };

  return {
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
        begin,
        stored,
        onEdited,
        onCall,
      } = asked;
      const warnings: string[] = [];
      let wrote = false;
      const from = position * positions;
      const where = { workspaceId: run.workspace_id, runId: run.id };
      const resumed = run.attempts > 1;
      const decided: Awaited<ReturnType<ApprovalRecords['ofStep']>> = resumed
        ? await approvals.ofStep(where, from, from + positions)
        : new Map();
      const ordinals = ordinalsOf(position);
      const isUnderWay = async () =>
        decided.size > 0 || (resumed && (await approvals.hasWritten({ ...where, ...ordinals })));
      if (permit !== undefined && !(await isUnderWay())) await permit();
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
      const context = contextOf({ workspaceId: where.workspaceId, endUserId, step, account, mark, now }, warnings);
      const work = {
        ...where,
        begunAt: () => begunAt(run),
        accountId: account.id,
        actor: run.started_by,
        eventId: run.event_id,
        step,
        input,
        context,
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
        lastTry: run.attempts >= maxAttempts,
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
          onCall(call);
        },
        stopping.signal,
      );
      try {
        await clearance.beforeStep(work, compose, stopping.signal);
        const output = await play(step, input, { ...context, upstream }, () => wrote);
        await settle();
        return { output, warnings };
      } catch (error) {
        await settle(error);
        throw withOffer(error, account, step);
      }
    },

    giveUp,

    rehearse: (asked) =>
      rehearsed(asked).catch((error: unknown) => {
        throw withOffer(error, asked.account, asked.step);
      }),

    recompose: async (waiting, account, changes) => {
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
