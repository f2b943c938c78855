import { badRequest, GraphError } from '../graph-error.ts';
import { compileFilter } from './evaluate.ts';
import { type FilterNode } from './filter-tree.ts';
import { type OrderBy, parseOrderBy } from './order.ts';
import { parseFilter } from './parse-filter.ts';
import { restrictFilter, restrictOrder } from './restrict.ts';
import { parseExpand, parseSelect } from './select.ts';

export type Filter = { text: string; tree: FilterNode; test: (entity: unknown) => boolean };
export type Expand = { name: string; cast: string | undefined; query: ODataQuery };
export type ODataQuery = {
  select?: string[];
  filter?: Filter;
  orderby?: OrderBy[];
  top?: number;
  skip?: number;
  /** Without its outer quotes. */
  search?: string;
  count: boolean;
  expand?: Expand[];
  skiptoken?: string;
  deltatoken?: string;
};

const known = new Set(
  'select filter orderby top skip search count expand skiptoken deltatoken format'.split(' ').map((name) => `$${name}`),
);
const longest = 10_000;
const deepestExpand = 3;

/** Reads the `$` options of a request; names in any case, other parameters are not OData's. */
export const parseQuery = (params: URLSearchParams, { entity }: { entity: string }): ODataQuery =>
  read(params, entity, 0);

export const parseFilterFor = (text: string, entity: string): Filter => {
  const tree = parseFilter(text, entity);
  restrictFilter(tree, entity);
  return { text, tree, test: compileFilter(tree) };
};

const read = (params: URLSearchParams, entity: string, depth: number): ODataQuery => {
  const query: ODataQuery = { count: false };
  if (params.size === 0) return query;
  const options = collect(params);
  const { select, filter, orderby, top, skip, search, count, expand, skiptoken, deltatoken } = options;

  if (select !== undefined) {
    const names = parseSelect(select, entity);
    if (names !== undefined) query.select = names;
  }
  if (filter !== undefined) {
    if (filter.trim() === '') throw badRequest('Invalid filter clause: Empty filter.');
    query.filter = parseFilterFor(filter, entity);
  }
  if (orderby !== undefined && orderby.trim() !== '') query.orderby = parseOrderBy(orderby, entity);
  if (top !== undefined) query.top = pageSize(top);
  if (skip !== undefined) query.skip = wholeNumber('skip', skip);
  if (count !== undefined) query.count = yesOrNo(count);
  if (search !== undefined) query.search = searchText(search, entity);
  if (expand !== undefined) query.expand = expansions(expand, entity, depth);
  if (skiptoken !== undefined) query.skiptoken = skiptoken;
  if (deltatoken !== undefined) query.deltatoken = deltatoken;

  if (query.search !== undefined) {
    if (query.orderby) throw notWithSearch('OrderBy');
    if (query.filter) throw notWithSearch('Filter');
    if (query.skip !== undefined) throw notWithSearch('Skip');
  }
  if (entity === 'message' && query.filter && query.orderby) restrictOrder(query.filter.tree, query.orderby);
  return query;
};

const collect = (params: URLSearchParams): Record<string, string | undefined> => {
  const options: Record<string, string | undefined> = {};
  for (const [given, value] of params) {
    if (!given.startsWith('$')) continue;
    const name = given.toLowerCase();
    if (!known.has(name)) throw badRequest(`The query parameter '${given}' is not supported.`);
    const bare = name.slice(1);
    if (options[bare] !== undefined) {
      throw badRequest(`Query option '${given}' was specified more than once, but it must be specified at most once.`);
    }
    if (value.length > longest) throw badRequest(`The query option '${given}' is too long.`);
    options[bare] = value;
  }
  return options;
};

const wholeNumber = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text.trim())) {
    throw badRequest(
      `Invalid value '${text}' for $${name} query option found. The $${name} query option requires a non-negative integer value.`,
    );
  }
  return Number(text);
};

const pageSize = (text: string): number => {
  const size = wholeNumber('top', text);
  if (size >= 1 && size <= 1000) return size;
  throw badRequest(`Invalid page size specified: '${size}'. Must be between 1 and 1000 inclusive.`);
};

const yesOrNo = (text: string): boolean => {
  const value = text.trim().toLowerCase();
  if (value === 'true' || value === 'false') return value === 'true';
  throw badRequest(`Invalid value '${text}' for $count query option found. Valid values are 'true' and 'false'.`);
};

const notWithSearch = (option: 'OrderBy' | 'Filter' | 'Skip') => {
  const name = option.charAt(0).toLowerCase() + option.slice(1);
  return new GraphError(400, `SearchWith${option}`, `The query parameter '$${name}' is not supported with '$search'.`);
};

const searchText = (text: string, entity: string): string => {
  if (entity === 'event') {
    throw new GraphError(
      400,
      'SearchEvents',
      'The parameter $search is not currently supported on the Events resource.',
    );
  }
  const trimmed = text.trim();
  if (!trimmed.startsWith('"')) {
    const odd = /[^\p{L}\p{N}\s*]/u.exec(trimmed);
    if (odd)
      throw badRequest(`Syntax error: character '${odd[0]}' is not valid at position ${odd.index} in '${trimmed}'.`);
    return trimmed;
  }
  const inner = /^"((?:[^"\\]|\\[\s\S])*)"$/.exec(trimmed)?.[1];
  if (inner === undefined)
    throw badRequest(`Syntax error: There is an unterminated string literal at position 0 in '${trimmed}'.`);
  return inner.replace(/\\(["\\])/g, '$1');
};

const expansions = (text: string, entity: string, depth: number): Expand[] => {
  if (depth >= deepestExpand) throw badRequest('Parsing OData Select and Expand failed: The expand is too deep.');
  return parseExpand(text, entity).map(({ name, type, cast, options }) => ({
    name,
    cast,
    query: read(options, type, depth + 1),
  }));
};
