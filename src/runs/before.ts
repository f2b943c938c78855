import type { StepContext } from '#kit';

/** What a step finds before it writes: the last of it is kept, and `remembered` after an interruption. */
export const memoryOf = (remembered: unknown): { before: StepContext['before']; kept(): unknown } => {
  let last = remembered;
  return {
    before: async (held, read) => {
      const known = remembered === undefined ? undefined : held.safeParse(remembered);
      if (known?.success) return known.data;
      const found = await read();
      last = found;
      return found;
    },
    kept: () => last,
  };
};
