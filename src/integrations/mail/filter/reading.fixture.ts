import { FilterFault, parseFilter, printFilter } from './index.ts';

/** A filter as it was understood. */
export const printed = (text: string) => printFilter(parseFilter(text));

/** Why a filter is refused; one that is not fails the test. */
export const refusal = (text: string): FilterFault => {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof FilterFault) return error;
    throw error;
  }
  throw new Error(`${text} was not refused`);
};
