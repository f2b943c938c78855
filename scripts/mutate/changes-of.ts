import { regexChanges } from './regex-changes.ts';
import { isNode, type Node, nodeIn, nodesIn } from './syntax.ts';

/** Another text for a stretch of the source, and what that is called. */
export type Change = { start: number; end: number; text: string; what: string };

type Rule = (node: Node, source: string) => Change[];

const isNothing = (node: Node): boolean => node.type === 'Identifier' && node['name'] === 'undefined';
const sourceOf = (node: Node | undefined, source: string): string =>
  node === undefined ? '' : source.slice(node.start, node.end);
const instead = (node: Pick<Node, 'start' | 'end'>, what: string, ...texts: string[]): Change[] =>
  texts.map((text) => ({ start: node.start, end: node.end, text, what }));

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '++': ['--'],
  '--': ['++'],
};
const comparing = new Set(['<', '<=', '>', '>=', '===', '!==', 'instanceof', 'in']);

const isText = (node: Node | undefined): boolean =>
  node !== undefined &&
  (node.type === 'TemplateLiteral' ||
    (node.type === 'Literal' && typeof node['value'] === 'string') ||
    (node.type === 'BinaryExpression' && (isText(nodeIn(node, 'left')) || isText(nodeIn(node, 'right')))));

const binary: Rule = (node, source) => {
  const [left, right] = [nodeIn(node, 'left'), nodeIn(node, 'right')];
  if (left === undefined || right === undefined) return [];
  const operator = String(node['operator']);
  if (operator === '+' && isText(node)) return [];
  const [before, after] = [sourceOf(left, source), sourceOf(right, source)];
  const others = (operators[operator] ?? []).map((other) => `(${before}) ${other} (${after})`);
  return [
    ...instead(node, `${operator} changed`, ...others.map((text) => `(${text})`)),
    ...(comparing.has(operator) ? instead(node, 'a comparison decided', 'true', 'false') : []),
  ];
};

const assignment: Rule = (node, source) => {
  const [left, right] = [nodeIn(node, 'left'), nodeIn(node, 'right')];
  const operator = String(node['operator']);
  return (operators[operator] ?? []).flatMap((other) =>
    instead(node, `${operator} changed`, `${sourceOf(left, source)} ${other} ${sourceOf(right, source)}`),
  );
};

const literal: Rule = (node) => {
  const { value } = node;
  const regex = node['regex'] as { pattern: string; flags: string } | undefined;
  if (regex !== undefined) {
    return regexChanges(regex.pattern).flatMap(({ pattern, what }) =>
      instead(node, `a pattern: ${what}`, `/${pattern}/${regex.flags}`),
    );
  }
  if (typeof value === 'string') return instead(node, 'another text', value === '' ? "'another text'" : "''");
  if (typeof value === 'number') return instead(node, 'another number', String(value + 1));
  return typeof value === 'boolean' ? instead(node, 'the opposite', String(!value)) : [];
};

const decided =
  (field: string, ...texts: string[]): Rule =>
  (node) => {
    const test = nodeIn(node, field);
    return test === undefined ? [] : instead(test, 'a condition decided', ...texts);
  };

const methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  trimEnd: 'trimStart',
  trimStart: 'trimEnd',
  min: 'max',
  max: 'min',
};
const droppable = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'trim',
  'charAt',
  'subarray',
  'normalize',
]);

const call: Rule = (node, source) => {
  const callee = nodeIn(node, 'callee');
  if (callee?.type !== 'MemberExpression' || callee['computed'] === true) return [];
  const [object, property] = [nodeIn(callee, 'object'), nodeIn(callee, 'property')];
  if (object === undefined || property === undefined) return [];
  const name = String(property['name']);
  const other = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return [
    ...(other === undefined ? [] : instead(property, `${name} changed`, other)),
    ...(droppable.has(name) ? instead(node, `without ${name}`, sourceOf(object, source)) : []),
  ];
};

const rules: Readonly<Record<string, Rule>> = {
  BinaryExpression: binary,
  LogicalExpression: binary,
  AssignmentExpression: assignment,
  Literal: literal,
  CallExpression: call,
  IfStatement: decided('test', 'true', 'false'),
  ConditionalExpression: decided('test', 'true', 'false'),
  WhileStatement: decided('test', 'false'),
  ForStatement: decided('test', 'false'),
  TemplateLiteral: (node) =>
    nodesIn(node, 'quasis').length > 1 || node.end - node.start > 2 ? instead(node, 'another text', '``') : [],
  UnaryExpression: (node, source) => {
    const inner = sourceOf(nodeIn(node, 'argument'), source);
    return node['operator'] === '!' || node['operator'] === '-' ? instead(node, 'without its sign', inner) : [];
  },
  UpdateExpression: (node, source) => {
    const inner = sourceOf(nodeIn(node, 'argument'), source);
    const other = operators[String(node['operator'])]?.[0] ?? '';
    return instead(node, 'counted the other way', node['prefix'] === true ? other + inner : inner + other);
  },
  ArrayExpression: (node) =>
    instead(node, 'another list', nodesIn(node, 'elements').length === 0 ? "['another text']" : '[]'),
  ObjectExpression: (node) => (nodesIn(node, 'properties').length === 0 ? [] : instead(node, 'nothing in it', '({})')),
  ArrowFunctionExpression: (node) => {
    const body = nodeIn(node, 'body');
    if (body === undefined || body.type === 'BlockStatement' || isNothing(body)) return [];
    return instead(body, 'nothing returned', 'undefined');
  },
  BlockStatement: (node) => (nodesIn(node, 'body').length === 0 ? [] : instead(node, 'nothing done', '{}')),
  ExpressionStatement: (node) => (isNode(node['expression']) ? instead(node, 'a statement left out', ';') : []),
  ThrowStatement: (node) => instead(node, 'nothing thrown', ';'),
  ReturnStatement: (node) => {
    const value = nodeIn(node, 'argument');
    return value === undefined || isNothing(value) ? [] : instead(node, 'nothing returned', 'return;');
  },
  SwitchCase: (node, source) => {
    const test = nodeIn(node, 'test');
    const label = test === undefined ? 'default' : `case ${sourceOf(test, source)}`;
    return nodesIn(node, 'consequent').length === 0 ? [] : instead(node, 'a case left out', `${label}:`);
  },
  MemberExpression: (node, source) => {
    const object = nodeIn(node, 'object');
    if (node['optional'] !== true || object === undefined) return [];
    const rest = source.slice(object.end, node.end).replace('?.', node['computed'] === true ? '' : '.');
    return instead(node, 'not optional', sourceOf(object, source) + rest);
  },
};

/** What else a node could say, one change at a time. */
export const changesOf = (node: Node, source: string): Change[] =>
  Object.hasOwn(rules, node.type) ? (rules[node.type]?.(node, source) ?? []) : [];
