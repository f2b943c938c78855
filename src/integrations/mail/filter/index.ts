export { type CompiledFilter, compileFilter } from './compile-filter.ts';
export { FilterFault } from './filter-fault.ts';
export { filterIndex } from './filter-index.ts';
export { FilterText } from './filter-text.ts';
export { type FilterMail, type FoldedMail, fold, type Person } from './folded-mail.ts';
export { needs } from './needs.ts';
export { parseFilter } from './parse-filter.ts';
export { printFilter } from './print-filter.ts';
export { conditionsOf } from './tree.ts';
