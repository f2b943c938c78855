import type { Option } from '../../../client/src/index.ts';

/** What is offered so far, and whether that is all there is. */
export type Offer = { options: readonly Option[]; isPending: boolean; isWhole: boolean };

/** What a value is called that was chosen before; it may have been kept by its id. */
export const nameIn = ({ options }: Pick<Offer, 'options'>, chosen: string): string | undefined =>
  options.find(({ value, id }) => value === chosen || id === chosen)?.label;

// Of boards and what lies on them, and of mail folders. Anything else says something to people.
const isIdOnly = (text: string): boolean => /^(?:[\da-f]{24}|[\w=+/-]{40,})$/i.test(text);

const longest = 24;

/** A value that is not called anything here. */
export const unnamed = ({ isPending, isWhole }: Omit<Offer, 'options'>, chosen: string): string => {
  if (!isIdOnly(chosen)) return chosen;
  if (isPending) return 'Loading …';
  const short = chosen.length > longest ? `${chosen.slice(0, 6)}…${chosen.slice(-6)}` : chosen;
  return isWhole ? `not in the list: ${short}` : short;
};
