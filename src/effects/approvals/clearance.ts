import {
  type CatalogueStep,
  type Effect,
  Fault,
  type SendView,
  type StepContext,
  type Upstream,
  type UpstreamRequest,
} from '#kit';
import { AwaitApproval } from './await-approval.ts';
import type { Composed, Planner, Where } from './plan.ts';
import type { ApprovalRecords, ApprovalRow } from './records.ts';

/** Why what was just intended needs a person, because others intended the same at that moment. */
export type Excess = (
  effect: 'send' | 'destroy',
  request: UpstreamRequest,
  effectId: string,
) => Promise<string | undefined>;

/** What people have decided about the sends of one step, by the write that waited for it. */
export type Decided = ReadonlyMap<number, ApprovalRow>;

/** One step of a run, as far as its sends are concerned. */
export type Sender = {
  workspaceId: string;
  runId: string;
  step: CatalogueStep;
  input: unknown;
  context: Omit<StepContext, 'upstream'>;
  ordinalsFrom: number;
  /** Writes are counted from ordinalsFrom up to this, so that each step of a run meets its own records again. */
  ordinalsTo: number;
  /** Whether an earlier execution of this run may have left records. */
  resumed: boolean;
  /** Whether what counts as a send may leave without a person's approval. */
  maySend: boolean;
  /** Why this, although the run may send by itself, needs a person; `undefined` when it does not. */
  doubt?: ((view: SendView) => Promise<string | undefined>) | undefined;
  decided: Decided;
  /** Why removing something needs a person; `undefined` when it does not. */
  brake?: ((request: UpstreamRequest) => Promise<string | undefined>) | undefined;
  /** Why a write that gives the service these addresses to load needs a person; `undefined` when it does not. */
  lure?: ((addresses: readonly string[]) => Promise<string | undefined>) | undefined;
  /** Why something said where people talk needs a person; `undefined` when it does not. */
  rounds?: ((request: UpstreamRequest) => Promise<string | undefined>) | undefined;
  /** Why what was just intended needs a person, because others intended the same at that moment. */
  excess?: Excess | undefined;
  /** What its writes are recorded under, once it is known. */
  approval?: { id: string; digest: string } | undefined;
};

const refusal = ({ id, status, reason, effect }: ApprovalRow): Fault => {
  const nothing = effect === 'destroy' ? 'Nothing was removed' : 'Nothing was sent';
  const details = { approvalId: id, ...(reason === null ? {} : { reason }) };
  const because = reason === null ? '' : `: ${reason.trim().replace(/\.$/, '')}`;
  const said = {
    rejected: `A person refused this${because}. ${nothing}; respect it.`,
    expired: `Nobody decided about this in time. ${nothing}.`,
    void: `What was asked for does not hold any more${because}. ${nothing}.`,
  };
  return new Fault('approval_denied', said[status as keyof typeof said], { details });
};

const changedDraft = (found: string): Fault =>
  new Fault(
    'conflict',
    `Somebody changed the draft before it was sent (${found}). Nothing was sent; look at the draft, then decide.`,
  );

const updated =
  'Switchboard was updated since this was asked for, and would send it otherwise than it was approved: look again.';

/** What must hold in the moment before a write leaves. */
export type Ready = () => Promise<void>;

/**
 * What must hold before a write is intended, and what once it is: then all that are under way know of each other. A person
 * may have to be asked, of whom only a run that is stored can wait.
 */
export type Cleared = {
  ready: Ready;
  kept(effectId: string): Promise<void>;
  mayAsk: boolean;
  /** Whether it was looked at what would be sent, so that nothing else may be. */
  held: boolean;
};

const unseen: Ready = async () => {};

const isDecided = (row: ApprovalRow | undefined): row is ApprovalRow => row !== undefined && row.status !== 'pending';

/** Lets sends pass that a person has approved exactly so, and makes all others wait. */
export const createClearance = (options: { planner: Omit<Planner, 'open'>; records: ApprovalRecords }) => {
  const { planner, records } = options;
  const whereOf = ({ workspaceId, step, context }: Sender, signal?: AbortSignal): Where => ({
    workspaceId,
    step,
    account: context.account,
    signal,
  });

  /** What a run that may send by itself was found to send, before it wrote anything. */
  const judged = new WeakMap<Sender, SendView>();

  /** Ends the execution until a person has decided. */
  const ask = (
    { step, input, context }: Sender,
    asked: { ordinal: number; effect: 'send' | 'destroy'; why: string | undefined; instead?: Buffer },
    composed: Composed,
  ): never => {
    const given = input as Record<string, unknown>;
    throw new AwaitApproval({ ...composed, ...asked, stepId: step.id, input: given, composedAt: context.now });
  };

  /** Ends the execution unless the run may send this by itself. */
  const passOrAsk = async (sender: Sender, ordinal: number, composed: Composed): Promise<void> => {
    const { maySend, doubt } = sender;
    const why = maySend ? await doubt?.(composed.view) : undefined;
    if (!maySend || why !== undefined) ask(sender, { ordinal, effect: 'send', why }, composed);
  };

  const refuse = async (row: ApprovalRow, reason: string): Promise<never> => {
    await records.invalidate(row, reason);
    throw new Fault('approval_denied', `${reason} Nothing was sent; ask again.`, { details: { approvalId: row.id } });
  };

  const hold = async (sender: Sender, row: ApprovalRow, composed: Composed): Promise<void> => {
    if (row.status !== 'approved') throw refusal(row);
    if (!row.digest.equals(composed.digest)) {
      const { ordinal, effect, digest: instead } = row;
      if (row.composed_by !== composed.composedBy) ask(sender, { ordinal, effect, why: updated, instead }, composed);
      await refuse(row, 'What would be sent now is not what was approved.');
    }
    sender.approval = { id: row.id, digest: row.digest.toString('hex') };
  };

  return {
    /**
     * Before the first write of a step that writes something down and then sends: all of it is composed, and nothing is
     * written unless exactly that was approved.
     */
    beforeStep: async (
      sender: Sender,
      play: (upstream: Upstream) => Promise<unknown>,
      signal?: AbortSignal,
    ): Promise<void> => {
      const { step, input, ordinalsFrom: ordinal } = sender;
      const row = sender.decided.get(ordinal);
      if (isDecided(row) && row.status !== 'approved') throw refusal(row);
      // What the step was given may have been erased with it.
      const gone = [...sender.decided.values()].find(({ status }) => status === 'void');
      if (gone !== undefined) throw refusal(gone);
      if (!step.sends?.(input)) return;
      // It came as far as its send before, and was asked about there.
      if (row === undefined && [...sender.decided.values()].some(isDecided)) return;
      if (row === undefined && sender.maySend && sender.doubt === undefined) return;
      // It was composed before it began to write, from what may be gone by now; its send is held to it once more.
      if (sender.resumed && (await records.hasWritten(sender))) return;
      const where = whereOf(sender, signal);
      const planned = await planner.plan(where, play);
      if (planned === undefined) return;
      const composed = await planner.compose(where, planned);
      if (isDecided(row)) return hold(sender, row, composed);
      await passOrAsk(sender, ordinal, composed);
      judged.set(sender, composed.view);
    },

    /** For each write of one execution: what must hold in the moment before it leaves, given what was answered so far. */
    writes: (sender: Sender, signal?: AbortSignal) => {
      let whole = sender.decided.get(sender.ordinalsFrom);
      const { showing, loads, isSaid } = sender.step.integration.upstream;
      const where = whereOf(sender, signal);

      const differences = async (view: SendView, request: UpstreamRequest, made: readonly unknown[]) => {
        const found = (await showing?.differences(view, request, planner.readingOf(where), made)) ?? [];
        return found.length === 0 ? undefined : found.join(', ');
      };

      const approvedOr =
        (row: ApprovalRow | undefined, request: UpstreamRequest, otherwise: (composed: Composed) => Promise<void>) =>
        async (): Promise<void> => {
          if (isDecided(row) && row.status !== 'approved') throw refusal(row);
          const composed = await planner.compose(where, [{ request }]);
          return isDecided(row) ? hold(sender, row, composed) : otherwise(composed);
        };

      const beforeSend = (request: UpstreamRequest, ordinal: number, made: readonly unknown[]): Ready => {
        const row = whole ?? sender.decided.get(ordinal);
        if (row !== undefined) sender.approval = { id: row.id, digest: row.digest.toString('hex') };
        if (whole !== undefined && row !== undefined) {
          // It stands for the first send of the step; another one is asked for by itself.
          whole = undefined;
          return async () => {
            if (row.status !== 'approved') throw refusal(row);
            const found = await differences(row.view as SendView, request, made);
            if (found !== undefined)
              await refuse(row, `What the service holds differs from what was approved (${found}).`);
          };
        }
        const asking = approvedOr(row, request, (composed) => passOrAsk(sender, ordinal, composed));
        if (row !== undefined || !sender.maySend) return asking;
        if (sender.doubt === undefined) return unseen;
        const view = judged.get(sender);
        if (view === undefined) return asking;
        judged.delete(sender);
        return async () => {
          const found = await differences(view, request, made);
          if (found !== undefined) throw changedDraft(found);
        };
      };

      /** What is no send asks nobody, unless there is a reason to. */
      const unless = (
        request: UpstreamRequest,
        ordinal: number,
        effect: 'send' | 'destroy',
        reason: () => Promise<string | undefined> | undefined,
      ): Ready => {
        const row = sender.decided.get(ordinal);
        if (row !== undefined) sender.approval = { id: row.id, digest: row.digest.toString('hex') };
        return async () => {
          const why = row === undefined ? await reason() : undefined;
          if (row === undefined && why === undefined) return;
          await approvedOr(row, request, async (composed) => {
            ask(sender, { ordinal, effect, why }, composed);
          })();
        };
      };

      /** What is loaded from elsewhere tells whoever is there, and talk may go on for ever; other writes are nobody's business. */
      const beforeWrite = (request: UpstreamRequest, ordinal: number): Cleared => {
        const addresses = loads?.(request) ?? [];
        const kept = async () => {};
        const lure = addresses.length === 0 ? undefined : sender.lure;
        const rounds = isSaid?.(request) === true ? sender.rounds : undefined;
        if (addresses.length === 0 && rounds === undefined) return { ready: unseen, kept, mayAsk: false, held: false };
        const reason = async () => (await lure?.(addresses)) ?? (await rounds?.(request));
        const ready = unless(request, ordinal, 'send', reason);
        return { ready, kept, mayAsk: lure !== undefined || rounds !== undefined, held: false };
      };

      /** What nobody was asked about must not be too much together with what others do at the same moment. */
      const afterIntent =
        (request: UpstreamRequest, effect: 'send' | 'destroy', ordinal: number): Cleared['kept'] =>
        async (effectId) => {
          if (sender.excess === undefined || sender.approval !== undefined) return;
          const why = await sender.excess(effect, request, effectId);
          if (why !== undefined) ask(sender, { ordinal, effect, why }, await planner.compose(where, [{ request }]));
        };

      return (request: UpstreamRequest, effect: Effect, ordinal: number, made: readonly unknown[]): Cleared => {
        if (effect !== 'send' && effect !== 'destroy') return beforeWrite(request, ordinal);
        const ready =
          effect === 'send'
            ? beforeSend(request, ordinal, made)
            : unless(request, ordinal, 'destroy', () => sender.brake?.(request));
        return { ready, kept: afterIntent(request, effect, ordinal), mayAsk: true, held: ready !== unseen };
      };
    },
  };
};

export type Clearance = ReturnType<typeof createClearance>;
