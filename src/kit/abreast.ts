/**
 * Those who come within one turn of the event loop go on abreast: each stretch of the way is walked by all of them before
 * the next one. What the processor has just run it has at hand, and fetching it is most of what a short request costs.
 */
export const createAbreast = (): ((go: () => void) => void) => {
  let waiting: (() => void)[] = [];
  const join = (go: () => void): void => {
    waiting.push(go);
    if (waiting.length === 1) setImmediate(goOn);
  };
  const goOn = (): void => {
    const now = waiting;
    waiting = [];
    let gone = 0;
    try {
      for (const go of now) {
        gone += 1;
        go();
      }
    } finally {
      // Whoever stumbles holds up nobody behind.
      for (const go of now.slice(gone)) join(go);
    }
  };
  return join;
};
