const endings: (() => Promise<void>)[] = [];

/** What a helper opened for the whole test file is closed when that file ends, and not kept for the next. */
export const endWithFile = (end: () => Promise<void>): void => void endings.push(end);

/** Closes it all, the latest first. */
export const endFile = async (): Promise<void> => {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
};
