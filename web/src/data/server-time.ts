/** The server tells whole seconds, a moment ago: so much is no difference. */
const toleranceMs = 2_000;
/** An answer that took longer may have waited here, in a window that slept. */
const freshMs = 10_000;

/** The time as the server's answers tell it: clocks of phones are minutes off at times, and what expires does so by the server's. */
export const timeOf = (clock: () => number) => {
  let aheadMs = 0;
  return {
    now: (): number => clock() - aheadMs,
    /** Asks as `fetch` does, and hears what time the answer tells. */
    hearing:
      (ask: typeof fetch): typeof fetch =>
      async (...asked) => {
        const askedAt = clock();
        const answer = await ask(...asked);
        const told = Date.parse(answer.headers.get('date') ?? '');
        const gotAt = clock();
        if (Number.isNaN(told) || gotAt - askedAt > freshMs) return answer;
        const ahead = gotAt - (told + 500);
        aheadMs = Math.abs(ahead) < toleranceMs ? 0 : ahead;
        return answer;
      },
  };
};

const time = timeOf(() => Date.now());

export const serverNow = time.now;
export const hearingTime = time.hearing;
