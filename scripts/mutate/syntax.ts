/** A node of a syntax tree, as vite's parser makes it. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export const nodeIn = (node: Node, field: string): Node | undefined => {
  const value = node[field];
  return isNode(value) ? value : undefined;
};

export const nodesIn = (node: Node, field: string): Node[] => {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/** What runs of a node: types are gone when it does. */
export const childrenOf = (node: Node): Node[] => {
  if (wrappers.has(node.type)) return nodesOf(node['expression']);
  if (node.type.startsWith('TS') || node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration')
    return [];
  // A name is no text of the program; a computed one is.
  const skipped = node['computed'] === true ? undefined : node.type === 'Property' ? 'key' : 'property';
  return Object.entries(node).flatMap(([field, value]) => (field === skipped ? [] : nodesOf(value)));
};

const nodesOf = (value: unknown): Node[] => {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  return isNode(value) ? [value] : [];
};
