/** Ends the present execution of a run for good. No Fault, so that no step mistakes it for one. */
export class RunCancelled extends Error {
  constructor() {
    super('the run was cancelled');
  }
}
