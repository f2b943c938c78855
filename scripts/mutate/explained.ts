import type { Mutant } from './mutants-of.ts';

/** Mutants that no test can notice, or none should: where they stand, and why. docs/proof/mutation.md tells more. */
const explained: readonly { file: string; was: RegExp; why: string }[] = [];

export const reasonFor = ({ file, was }: Mutant): string | undefined =>
  explained.find((each) => file.endsWith(each.file) && each.was.test(was))?.why;
