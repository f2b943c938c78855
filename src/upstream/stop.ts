/** What ends a call from outside: an AbortSignal, or a Stop, which costs less to make for every call. */
export type StopSignal = {
  readonly aborted: boolean;
  addEventListener(type: 'abort', act: () => void): void;
  removeEventListener(type: 'abort', act: () => void): void;
};

export class Stop implements StopSignal {
  reason: string | undefined;
  readonly #acts: (() => void)[] = [];

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  /** Raised once, for the first reason given. */
  raise(reason: string): void {
    if (this.aborted) return;
    this.reason = reason;
    for (const act of this.#acts.splice(0)) act();
  }

  addEventListener(_: 'abort', act: () => void): void {
    this.#acts.push(act);
  }

  removeEventListener(_: 'abort', act: () => void): void {
    const at = this.#acts.indexOf(act);
    if (at >= 0) this.#acts.splice(at, 1);
  }

  /** For those who need a real one. */
  toAbortSignal(): AbortSignal {
    const controller = new AbortController();
    if (this.aborted) controller.abort(this.reason);
    else this.addEventListener('abort', () => controller.abort(this.reason));
    return controller.signal;
  }
}
