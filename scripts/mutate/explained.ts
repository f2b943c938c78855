import type { Mutant } from './mutants-of.ts';

const speed = 'speed only: whoever is found by a guess is asked the filter itself';
const kept = 'speed only: what is kept between two calls would be worked out again';
const twice = 'refused twice: the other check refuses it, too';
const never = 'cannot happen: a shape before it has refused it already';

/** Mutants that no test can notice, or none should: where they stand, and why. docs/proof/mutation.md tells more. */
const explained: readonly { file: string; was: RegExp; why: string }[] = [
  { file: 'filter/anchors.ts', was: /./s, why: speed },
  { file: 'filter/term-index.ts', was: /./s, why: speed },
  { file: 'filter/lookups.ts', was: /./s, why: speed },
  { file: 'filter/filter-index.ts', was: /./s, why: speed },
  { file: 'filter/compile-filter.ts', was: /cost|first|second|cheapFirst|^0$/s, why: speed },
  { file: 'filter/test-condition.ts', was: /^\d+$|known|moving|^''$/, why: speed },
  { file: 'filter/fold-text.ts', was: /known|Known|^2000$|^4$|longest/, why: kept },
  { file: 'filter/folded-mail.ts', was: /known|#people/, why: kept },
  { file: 'filter/days.ts', was: /known\.|^0$/, why: kept },
  { file: 'filter/days.ts', was: /^''$|^\[\]$/, why: never },
  { file: 'approvals/clearance.ts', was: /refusal|status !== 'approved'/, why: twice },
  { file: 'approval/answers.ts', was: /^\[\]$|^''$|\?\./, why: never },
  { file: 'approval/differences.ts', was: /^\[\]$|^''$|\?\./, why: never },
  { file: 'approval/showing.ts', was: /^\[\]$|^''$/, why: never },
];

export const reasonFor = ({ file, was }: Mutant): string | undefined =>
  explained.find((each) => file.endsWith(each.file) && each.was.test(was))?.why;
