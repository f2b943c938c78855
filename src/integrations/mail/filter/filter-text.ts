import { z } from 'zod';
import { FilterFault } from './filter-fault.ts';
import { longestFilter, parseFilter } from './parse-filter.ts';
import { properties } from './properties.ts';

/** A search filter as a form or an agent writes it; refused, with the position, when it is not understood. */
export const FilterText = z
  .string()
  .trim()
  .max(longestFilter, { abort: true, error: `A filter has at most ${longestFilter} characters.` })
  .superRefine((text, context) => {
    try {
      parseFilter(text);
    } catch (error) {
      if (!(error instanceof FilterFault)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  })
  .describe(
    `Search filter, such as subject:invoice AND from:*contoso.com. Properties are ${properties.join(', ')}. Join conditions with AND, OR, NOT and parentheses; put phrases in quotation marks.`,
  );
