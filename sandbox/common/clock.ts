/** The sandbox's own time: real time plus an offset that tests move. Timers follow it. */
export class SandboxClock {
  #offset = 0;
  #timers = new Set<{ at: number; fire: () => void; handle?: NodeJS.Timeout }>();

  now(): number {
    return Date.now() + this.#offset;
  }

  date(): Date {
    return new Date(this.now());
  }

  advance(ms: number): void {
    this.#offset += ms;
    this.#rearm();
  }

  set(now: number): void {
    this.#offset = now - Date.now();
    this.#rearm();
  }

  /** Calls `fire` once `ms` of sandbox time have passed; returns the way to call it off. */
  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.now() + ms, fire };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#drop(timer);
  }

  reset(): void {
    for (const timer of this.#timers) this.#drop(timer);
    this.#offset = 0;
  }

  #rearm(): void {
    for (const timer of [...this.#timers].toSorted((a, b) => a.at - b.at)) this.#arm(timer);
  }

  #arm(timer: { at: number; fire: () => void; handle?: NodeJS.Timeout }): void {
    clearTimeout(timer.handle);
    const wait = Math.min(Math.max(0, timer.at - this.now()), 2 ** 31 - 1);
    timer.handle = setTimeout(() => {
      if (timer.at > this.now()) return this.#arm(timer);
      this.#timers.delete(timer);
      timer.fire();
    }, wait);
    timer.handle.unref();
  }

  #drop(timer: { at: number; fire: () => void; handle?: NodeJS.Timeout }): void {
    clearTimeout(timer.handle);
    this.#timers.delete(timer);
  }
}
