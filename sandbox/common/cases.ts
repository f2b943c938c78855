const inTests = 200;

/** So many random cases for a sentence: all of them in `npm run prove -- cases`, as many as there is time for in `npm test`. */
export const cases = (all: number): { numRuns: number } => ({
  numRuns: process.env['EVERY_CASE'] === 'on' ? all : Math.min(all, inTests),
});
