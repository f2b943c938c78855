import { inefficientFilter, invalidFilter } from './errors.ts';
import { type FilterNode, nodesOf, pathsOf } from './filter-tree.ts';
import type { OrderBy } from './order.ts';

/** What the mailbox store refuses although it is sound OData. */
export const restrictFilter = (filter: FilterNode, entity: string): void => {
  for (const node of nodesOf(filter)) {
    // contains on contacts was answered with 400; endswith on messages is undocumented, and reports conflict.
    if (node.kind === 'call' && node.name === 'endswith' && stores.has(entity)) throw invalidFilter();
    if (node.kind === 'call' && node.name === 'contains' && entity === 'contact') throw invalidFilter();
  }
  if (entity === 'event' && pathsOf(filter).some(({ names }) => names[0] === 'recurrence')) throw invalidFilter();
  if (entity === 'contact') onlyByAddress(filter);
};

const stores = new Set(['message', 'contact', 'event']);

/** Contacts: `emailAddresses/any(a:a/address eq 'x')` and nothing else on emailAddresses. */
const onlyByAddress = (filter: FilterNode): void => {
  for (const node of nodesOf(filter)) {
    if (node.kind === 'all' && node.collection.names[0] === 'emailAddresses') throw invalidFilter();
    if (node.kind !== 'any' || node.collection.names[0] !== 'emailAddresses') continue;
    const body = node.body;
    if (body?.kind !== 'compare' || body.op !== 'eq') throw invalidFilter();
    const [property, value] = body.left.kind === 'path' ? [body.left, body.right] : [body.right, body.left];
    if (property.kind !== 'path' || property.names.join('/') !== 'address' || value.kind !== 'literal')
      throw invalidFilter();
  }
};

/**
 * Messages: every property of $orderby must be in $filter, in the same order, before any that is not ordered by.
 * https://learn.microsoft.com/graph/api/user-list-messages#using-filter-and-orderby-in-the-same-query
 */
export const restrictOrder = (filter: FilterNode, orderby: readonly OrderBy[]): void => {
  const filtered = new Set(
    pathsOf(filter)
      .filter(({ variable }) => variable === undefined)
      .map(({ names }) => names.join('/')),
  );
  const leading = [...filtered].slice(0, orderby.length);
  if (orderby.some(({ names }, place) => leading[place] !== names.join('/'))) throw inefficientFilter();
};
