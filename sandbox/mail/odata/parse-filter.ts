import { filterSyntax, invalidFilter, noSuchProperty } from './errors.ts';
import type { Comparison, FilterNode, Operand, PathOperand } from './filter-tree.ts';
import { isEnum, isEnumValue, propertyOf } from './model.ts';
import { type Literal, type Token, tokenize } from './tokens.ts';

const longest = 10_000;
const deepest = 60;
// Each further any() multiplies the work by the length of its collection.
const deepestLambda = 2;
const comparisons: Record<string, Comparison> = { eq: 'eq', ne: 'ne', gt: 'gt', ge: 'ge', lt: 'lt', le: 'le' };
const operatorNames: Record<Comparison, string> = {
  eq: 'Equal',
  ne: 'NotEqual',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
};
const functions = ['startswith', 'endswith', 'contains'] as const;

type Parsed = { node: FilterNode } | { operand: Operand };
type Variables = ReadonlyMap<string, { type: string; collection: boolean }>;

/** Parses `$filter` for an entity; recursive descent, bounded in length and depth. */
export const parseFilter = (text: string, entity: string): FilterNode => {
  if (text.length > longest) throw filterSyntax(`The filter is longer than ${longest} characters.`);
  const tokens = tokenize(text);
  let next = 0;
  let depth = 0;

  const peek = (): Token | undefined => tokens[next];
  const fail = (token: Token | undefined = peek()): never => {
    throw filterSyntax(`Syntax error at position ${token?.at ?? text.length} in '${text}'.`);
  };
  const isSign = (sign: string, token = peek()): boolean => token?.kind === 'sign' && token.text === sign;
  const isWord = (word: string): boolean => {
    const token = peek();
    return token?.kind === 'name' && token.text === word;
  };
  const expect = (sign: string): void => {
    if (!isSign(sign)) fail();
    next++;
  };
  const name = (): string => {
    const token = peek();
    if (token?.kind !== 'name') return fail(token);
    next++;
    return token.text;
  };
  const nested = <T>(parse: () => T): T => {
    if (++depth > deepest) throw filterSyntax('Recursion depth exceeded allowed limit.');
    const result = parse();
    depth--;
    return result;
  };

  const chain = (word: 'and' | 'or', part: (variables: Variables) => Parsed, variables: Variables): Parsed => {
    const first = part(variables);
    if (!isWord(word)) return first;
    const parts = [truth(first)];
    while (isWord(word)) {
      next++;
      parts.push(truth(part(variables)));
    }
    return { node: { kind: word, parts } };
  };
  const expression = (variables: Variables): Parsed =>
    nested(() => chain('or', (outer) => chain('and', unary, outer), variables));

  const unary = (variables: Variables): Parsed => {
    if (!isWord('not')) return comparison(variables);
    next++;
    return { node: { kind: 'not', part: truth(nested(() => unary(variables))) } };
  };

  const comparison = (variables: Variables): Parsed => {
    const left = primary(variables);
    const token = peek();
    if (token?.kind !== 'name') return left;
    if (token.text === 'in') {
      next++;
      return { node: { kind: 'in', left: value(left, token), values: list(left, token) } };
    }
    const op = Object.hasOwn(comparisons, token.text) ? comparisons[token.text] : undefined;
    if (op === undefined) return left;
    next++;
    return { node: compare(op, left, primary(variables), token) };
  };

  const list = (left: Parsed, at: Token): Literal[] => {
    const values: Literal[] = [];
    expect('(');
    do {
      const token = peek();
      if (token?.kind !== 'literal') return fail(token);
      next++;
      sameType('eq', value(left, at), token);
      values.push(token);
    } while (isSign(',') && ++next);
    expect(')');
    return values;
  };

  const primary = (variables: Variables): Parsed => {
    const token = peek();
    if (token === undefined) return fail(token);
    if (isSign('(')) {
      next++;
      const inner = expression(variables);
      expect(')');
      return inner;
    }
    if (token.kind === 'literal') {
      next++;
      return { operand: token };
    }
    if (token.kind === 'sign') return fail(token);
    return isSign('(', tokens[next + 1]) ? call(variables) : path(variables);
  };

  const call = (variables: Variables): Parsed => {
    const at = peek();
    const called = name().toLowerCase();
    const args: Operand[] = [];
    expect('(');
    do
      args.push(
        value(
          nested(() => primary(variables)),
          at,
        ),
      );
    while (isSign(',') && ++next);
    expect(')');
    const [first, second, extra] = args;
    const known = functions.find((known) => known === called);
    if (known !== undefined && first !== undefined && second !== undefined && extra === undefined) {
      if (!isText(first) || !isText(second))
        throw filterSyntax(
          `No function signature for the function with name '${called}' matches the specified arguments.`,
        );
      return { node: { kind: 'call', name: known, text: first, part: second } };
    }
    if (
      (called === 'tolower' || called === 'toupper') &&
      first !== undefined &&
      second === undefined &&
      isText(first)
    ) {
      return { operand: { kind: 'case', to: called === 'tolower' ? 'lower' : 'upper', of: first } };
    }
    throw filterSyntax(
      `An unknown function with name '${called}' was found. This may also be a function import or a key lookup on a navigation property, which is not allowed.`,
    );
  };

  const path = (variables: Variables): Parsed => {
    const first = name();
    const variable = variables.get(first);
    let found: PathOperand = variable
      ? { kind: 'path', names: [], variable: first, ...variable }
      : step({ kind: 'path', names: [], type: entity, collection: false }, first);
    while (isSign('/')) {
      next++;
      const segment = name();
      if (isSign('(')) return { node: lambda(found, segment.toLowerCase(), variables) };
      found = step(found, segment);
    }
    return { operand: found };
  };

  const lambda = (collection: PathOperand, word: string, variables: Variables): FilterNode => {
    if ((word !== 'any' && word !== 'all') || !collection.collection) return fail();
    expect('(');
    if (word === 'any' && isSign(')') && ++next) return { kind: 'any', collection };
    const variable = name();
    if (variables.has(variable) || variables.size >= deepestLambda) {
      throw filterSyntax('Recursion depth exceeded allowed limit.');
    }
    expect(':');
    const inner = new Map(variables).set(variable, { type: collection.type, collection: false });
    const body = truth(expression(inner));
    expect(')');
    return { kind: word, collection, variable, body };
  };

  const value = (parsed: Parsed, at: Token | undefined): Operand => ('operand' in parsed ? parsed.operand : fail(at));

  const compare = (op: Comparison, left: Parsed, right: Parsed, at: Token): FilterNode => {
    // startswith(subject,'x') eq true
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (!('node' in side)) continue;
      if (!('operand' in other) || other.operand.kind !== 'literal' || other.operand.type !== 'boolean')
        throw invalidFilter();
      if (op !== 'eq' && op !== 'ne') throw invalidFilter();
      return (op === 'eq') === other.operand.value ? side.node : { kind: 'not', part: side.node };
    }
    const operands = [value(left, at), value(right, at)] as const;
    sameType(op, ...operands);
    return { kind: 'compare', op, left: operands[0], right: operands[1] };
  };

  const parsed = truth(expression(new Map()));
  if (next < tokens.length) fail();
  return parsed;
};

const step = (from: PathOperand, segment: string): PathOperand => {
  if (from.collection) {
    throw filterSyntax(
      `The parent value for a property access of a property '${segment}' is not a single value. Property access can only be applied to a single value.`,
    );
  }
  const property = propertyOf(from.type, segment);
  if (property === undefined) throw filterSyntax(noSuchProperty(segment, from.type));
  const { name, type, collection } = property;
  return { ...from, names: [...from.names, name], type, collection };
};

const truth = (parsed: Parsed): FilterNode => {
  if ('node' in parsed) return parsed.node;
  if (typeOf(parsed.operand) !== 'Edm.Boolean') {
    throw filterSyntax('The $filter expression must evaluate to a single boolean value.');
  }
  return { kind: 'truth', operand: parsed.operand };
};

const edm: Record<string, string> = {
  string: 'Edm.String',
  id: 'Edm.String',
  wall: 'Edm.String',
  boolean: 'Edm.Boolean',
  number: 'Edm.Int32',
  date: 'Edm.DateTimeOffset',
  guid: 'Edm.Guid',
  enum: 'Edm.String',
  null: 'null',
};
export const typeOf = (operand: Operand): string => {
  if (operand.kind === 'case') return 'Edm.String';
  if (operand.kind === 'path' && operand.collection) return `Collection(microsoft.graph.${operand.type})`;
  return edm[operand.type] ?? (isEnum(operand.type) ? 'Edm.String' : `microsoft.graph.${operand.type}`);
};
const isText = (operand: Operand): boolean => typeOf(operand) === 'Edm.String' || typeOf(operand) === 'null';

const sameType = (op: Comparison, left: Operand, right: Operand): void => {
  const [a, b] = [typeOf(left), typeOf(right)];
  const comparable = a === b ? a.startsWith('Edm.') || a === 'null' : a === 'null' || b === 'null';
  if (!comparable) {
    throw filterSyntax(
      `A binary operator with incompatible types was detected. Found operand types '${a}' and '${b}' for operator kind '${operatorNames[op]}'.`,
    );
  }
  knownMember(left, right);
  knownMember(right, left);
};

const knownMember = (property: Operand, given: Operand): void => {
  if (property.kind !== 'path' || !isEnum(property.type)) return;
  if (given.kind !== 'literal' || typeof given.value !== 'string' || isEnumValue(property.type, given.value)) return;
  throw filterSyntax(`The string '${given.value}' is not a valid enumeration type constant.`);
};
