import type { Silence } from './no-answer.ts';

/** Ends one exchange from outside, for the first reason given. Made for every call, hence no event machinery. */
export class Brake {
  #reason: Silence | undefined;
  #listener: ((reason: Silence) => void) | undefined;

  pull(reason: Silence): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener?.(reason);
  }

  /** Called at once if it was pulled before. */
  onPull(listener: (reason: Silence) => void): void {
    this.#listener = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }
}
