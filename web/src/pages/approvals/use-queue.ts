import { useFilters } from '../../data/use-filters.ts';

/** What somebody goes through: of which agent and account, and in which order. It stands in the address of each of them. */
export const useQueue = () => {
  const { values } = useFilters(['agentId', 'accountId', 'order']);
  const { order, ...narrowed } = values;
  return { narrowed, order: order === 'expiring' ? { order: 'expiring' as const } : {} };
};
