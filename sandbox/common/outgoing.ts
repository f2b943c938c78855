import type { SandboxClock } from './clock.ts';

/** How outgoing notifications go wrong: rates 0..1, as told to `POST /_control/notifications`. */
export type NotificationFaults = {
  drop: number;
  duplicate: number;
  delayMs: number;
  /** True is as good as 1. */
  shuffle: boolean | number;
  pause: boolean;
};

const healthy: NotificationFaults = { drop: 0, duplicate: 0, delayMs: 0, shuffle: false, pause: false };

/**
 * Every notification to the outside passes here, so that it can be dropped, doubled, delayed or shuffled.
 * `post` makes one attempt and answers whether it was accepted; `retryAfterMs` lists the waits before further attempts.
 */
export class Outgoing {
  faults: NotificationFaults = { ...healthy };
  #held: (() => void)[] = [];
  #clock: SandboxClock;
  /** What a reset left behind is not tried again. */
  #era = 0;

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  set(faults: Partial<NotificationFaults>): void {
    this.faults = { ...this.faults, ...faults };
    if (!this.faults.pause) for (const release of this.#held.splice(0)) release();
  }

  reset(): void {
    this.#held = [];
    this.#era++;
    this.faults = { ...healthy };
  }

  send(post: () => Promise<boolean>, retryAfterMs: readonly number[], onDone: (accepted: boolean) => void): void {
    if (Math.random() < this.faults.drop) return onDone(false);
    const copies = Math.random() < this.faults.duplicate ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const go = () => this.#later(() => void this.#attempt(post, retryAfterMs, copy === 0 ? onDone : () => {}));
      if (this.faults.pause) this.#held.push(go);
      else go();
    }
  }

  #later(go: () => void): void {
    const wait = this.faults.delayMs + (Math.random() < Number(this.faults.shuffle) ? Math.random() * 500 : 0);
    if (wait > 0) this.#clock.after(wait, go);
    else setImmediate(go);
  }

  async #attempt(
    post: () => Promise<boolean>,
    retryAfterMs: readonly number[],
    onDone: (accepted: boolean) => void,
  ): Promise<void> {
    const era = this.#era;
    const accepted = await post().catch(() => false);
    if (era !== this.#era) return;
    const [wait, ...rest] = retryAfterMs;
    if (accepted || wait === undefined) return onDone(accepted);
    this.#clock.after(wait, () => void this.#attempt(post, rest, onDone));
  }
}
