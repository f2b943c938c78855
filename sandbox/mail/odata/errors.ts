import { badRequest, GraphError } from '../graph-error.ts';

export const filterSyntax = (message: string): GraphError => badRequest(`Invalid filter clause: ${message}`);

/** Well formed, but more than the mailbox store can answer. */
export const invalidFilter = (): GraphError =>
  new GraphError(400, 'ErrorInvalidUrlQueryFilter', 'The query filter contains one or more invalid nodes.');

export const inefficientFilter = (): GraphError =>
  new GraphError(400, 'InefficientFilter', 'The restriction or sort order is too complex for this operation.');

export const noSuchProperty = (name: string, type: string): string =>
  `Could not find a property named '${name}' on type 'microsoft.graph.${type}'.`;
