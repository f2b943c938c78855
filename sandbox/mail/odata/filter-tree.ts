import type { Literal } from './tokens.ts';

/** Names are canonical; `variable` is set inside any() and all(); an empty `names` is the variable itself. */
export type PathOperand = { kind: 'path'; names: string[]; variable?: string; type: string; collection: boolean };
export type Operand = Literal | PathOperand | { kind: 'case'; to: 'lower' | 'upper'; of: Operand };
export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterNode =
  | { kind: 'and' | 'or'; parts: FilterNode[] }
  | { kind: 'not'; part: FilterNode }
  | { kind: 'compare'; op: Comparison; left: Operand; right: Operand }
  | { kind: 'in'; left: Operand; values: Literal[] }
  | { kind: 'call'; name: 'startswith' | 'endswith' | 'contains'; text: Operand; part: Operand }
  | { kind: 'any' | 'all'; collection: PathOperand; variable?: string; body?: FilterNode }
  | { kind: 'truth'; operand: Operand };

/** Every node, in the order of the text. */
export function* nodesOf(node: FilterNode): Generator<FilterNode> {
  yield node;
  if (node.kind === 'and' || node.kind === 'or') for (const part of node.parts) yield* nodesOf(part);
  else if (node.kind === 'not') yield* nodesOf(node.part);
  else if ((node.kind === 'any' || node.kind === 'all') && node.body !== undefined) yield* nodesOf(node.body);
}

const operandsOf = (node: FilterNode): Operand[] => {
  if (node.kind === 'compare') return [node.left, node.right];
  if (node.kind === 'in') return [node.left];
  if (node.kind === 'call') return [node.text, node.part];
  if (node.kind === 'any' || node.kind === 'all') return [node.collection];
  return node.kind === 'truth' ? [node.operand] : [];
};

/** Every property a filter names, in the order of the text. Those of a lambda's variable are not the entity's. */
export const pathsOf = (node: FilterNode): PathOperand[] =>
  [...nodesOf(node)].flatMap(operandsOf).flatMap((operand) => {
    let inner = operand;
    while (inner.kind === 'case') inner = inner.of;
    return inner.kind === 'path' ? [inner] : [];
  });
