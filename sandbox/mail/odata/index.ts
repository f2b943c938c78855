import type { Filter } from './query.ts';

export { type FilterNode, nodesOf } from './filter-tree.ts';
export { compareBy } from './order.ts';
export { linkWith, nextLink, openToken, pageOf, sealToken } from './page.ts';
export { type Expand, type Filter, type ODataQuery, parseFilterFor, parseQuery } from './query.ts';
export { selectFields } from './select.ts';

export const matchesFilter = (filter: Filter, entity: unknown): boolean => filter.test(entity);
