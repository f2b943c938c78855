import { useFilters } from '../../data/use-filters.ts';
import { asQuery } from '../../ui/search.tsx';

/** What somebody goes through: what was looked for, of which agent and account, and in which order. It stands in the address of each. */
export const useQueue = () => {
  const { values } = useFilters(['agentId', 'accountId', 'query', 'order']);
  const { order, query, ...narrowed } = values;
  return {
    narrowed: { ...narrowed, ...asQuery(query) },
    order: order === 'expiring' ? { order: 'expiring' as const } : {},
  };
};
