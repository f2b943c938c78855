import type { CallOptions } from '#accounts';
import type { Effect } from '#kit';
import type { Sender } from './approvals/clearance.ts';
import type { Owner } from './record.ts';
import type { Intended, NewIntent } from './write-together.ts';

/** One call as the journal keeps it. */
export type CallRecord = {
  method: string;
  path: string;
  effect: Effect;
  status?: number;
  ms?: number;
  /** By which the service knows this call; not every service tells one. */
  requestId?: string;
  effectId?: string;
  /** Answered from the effect's own record: nothing was called. */
  replayed?: boolean;
  /** Found outside after an uncertain end. */
  found?: boolean;
  fault?: string;
};

export type Guarded = Owner &
  Sender & {
    /** When what the run is about began. */
    begunAt(): Date;
    /**
     * Called before a write is recorded: the run itself must be stored by then. Where it is stored only now, its first
     * write is intended in the same moment; then this answers when.
     */
    begin(first?: NewIntent): Promise<Intended | undefined>;
    /** Waits for a run that is just being stored: before that nothing may be asked of the service. */
    stored?: (() => Promise<unknown>) | undefined;
    /** Whether the run ends now if the service cannot be asked. */
    lastTry: boolean;
    /** How long what it wrote may stay in doubt while the service is away. */
    longestDoubtMs: number;
    /** What the step last found before it wrote. */
    before?: (() => unknown) | undefined;
    /** The look by which the account was chosen, for the first call. */
    seen?: CallOptions['seen'];
  };
