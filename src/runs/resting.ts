import type { NewEntry } from './journal.ts';

/** Ends an execution of a run that goes on when somebody calls back, or at a set time. Nothing is held meanwhile. */
export class Resting extends Error {
  /** Gives the run up and stores what it has done, in one transaction; false when it was lost meanwhile. */
  readonly rest: (entries: readonly NewEntry[]) => Promise<boolean>;
  /** What happens once the run is free for others. */
  readonly after: (() => Promise<void>) | undefined;

  constructor(rest: Resting['rest'], after?: () => Promise<void>) {
    super('this run rests');
    this.rest = rest;
    this.after = after;
  }
}
