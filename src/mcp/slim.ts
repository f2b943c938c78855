type Schema = Record<string, unknown>;

// For forms, and for checks that are made again when a call comes: its refusal then names the argument and the limit.
const needless = new Set(['picker', 'minLength', 'maxLength', 'propertyNames']);
const ofSchemas = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const ofSchema = new Set(['items', 'additionalProperties', 'not', 'contains']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = (value: unknown): unknown =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, slim(each)])) : value;

const part = (name: string, value: unknown): unknown => {
  // Here names are those of arguments, whatever they are called.
  if (name === 'properties' || name === '$defs') return mapped(value);
  if (ofSchemas.has(name) && Array.isArray(value)) return value.map(slim);
  return ofSchema.has(name) ? slim(value) : value;
};

const longestRead = 80;

/** Spelled out although the format is named, or longer than anybody reads. */
const isForMachines = (schema: Schema, pattern: unknown): boolean =>
  schema['format'] !== undefined || String(pattern).length > longestRead;

/** What is said of the whole is not said of its parts again, as of what may also be null. */
const unsaid = (choice: unknown, whole: unknown): unknown => {
  if (!isSchema(choice) || typeof whole !== 'string') return choice;
  const { description, ...rest } = choice;
  return typeof description === 'string' && whole.startsWith(description) ? rest : choice;
};

/** A choice among choices is one choice. */
const flat = (choices: readonly unknown[]): unknown[] =>
  choices.flatMap((choice) =>
    isSchema(choice) && Object.keys(choice).length === 1 && Array.isArray(choice['anyOf'])
      ? flat(choice['anyOf'])
      : [choice],
  );

type Value = { type: string; const: unknown };

const isValue = (choice: unknown): choice is Value =>
  isSchema(choice) &&
  Object.keys(choice).length === 2 &&
  Object.hasOwn(choice, 'const') &&
  typeof choice['type'] === 'string';

/** Each choice once, and single values of one type as a list of values. */
const joined = (choices: readonly unknown[]): unknown[] => {
  const found = new Map<string, unknown>();
  for (const choice of choices) {
    if (!isValue(choice)) {
      found.set(JSON.stringify(choice), choice);
      continue;
    }
    const { type, const: value } = choice;
    const { enum: values } = (found.get(type) ?? { enum: [] }) as { enum: unknown[] };
    found.set(type, { type, enum: [...values, value] });
  }
  return [...found.values()];
};

/** The schema of a tool as a model reads it: what it means, without what only a form or a check needs. */
export const slim = <T>(schema: T): T => {
  if (!isSchema(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => !needless.has(name) && !(name === 'pattern' && isForMachines(schema, value)),
  );
  const made: Schema = Object.fromEntries(kept.map(([name, value]) => [name, part(name, value)]));
  const { anyOf, ...rest } = made;
  if (!Array.isArray(anyOf)) return made as T;
  const choices = joined(flat(anyOf.map((choice) => unsaid(choice, made['description']))));
  const [only] = choices;
  return (choices.length === 1 && isSchema(only) ? { ...only, ...rest } : { ...rest, anyOf: choices }) as T;
};
