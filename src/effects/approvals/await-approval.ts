import type { Composed } from './plan.ts';

/** What a person is asked, before it is stored with the run that waits. */
export type Asked = Composed & {
  /** The write that waits; the number a step begins with stands for the whole step. */
  ordinal: number;
  effect: 'send' | 'destroy';
  stepId: string;
  input: Record<string, unknown>;
  composedAt: Date;
  /** Why a run that may send by itself asks. */
  why?: string | undefined;
  /** The digest of an approval that cannot be carried out, in whose place it is asked for. */
  instead?: Buffer | undefined;
};

/** Ends the present execution of a run: it goes on when somebody has decided. No Fault, so that no step mistakes it for one. */
export class AwaitApproval extends Error {
  readonly asked: Asked;

  constructor(asked: Asked) {
    super('a person must decide first');
    this.asked = asked;
  }
}
