/** What is used here of a JSON Schema, with the drop-down that a field of the catalogue names. */
export type Schema = {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  picker?: string;
};

export type Scalar = string | number | boolean;

/** How a value is asked for. */
export type Shape =
  | { kind: 'text'; lines: boolean }
  | { kind: 'number' }
  | { kind: 'switch' }
  | { kind: 'choice'; options: Scalar[] }
  | { kind: 'time'; withTime: boolean; needsOffset: boolean }
  | { kind: 'picker'; picker: string }
  | { kind: 'list'; items: Schema }
  | { kind: 'fields' }
  | { kind: 'map'; values: Schema }
  | { kind: 'union'; variants: Schema[] }
  | { kind: 'json' };

const variantsOf = (schema: Schema): Schema[] => {
  const parts = schema.anyOf ?? schema.oneOf;
  return parts === undefined ? [schema] : parts.flatMap(variantsOf);
};

const isNull = ({ type }: Schema): boolean => type === 'null';
export const isNullable = (schema: Schema): boolean => variantsOf(schema).some(isNull);

const fixed = (schema: Schema): Scalar[] | undefined => {
  const all = schema.const === undefined ? schema.enum : [schema.const];
  return all?.filter((each): each is Scalar => ['string', 'number', 'boolean'].includes(typeof each));
};

const isTime = ({ format }: Schema): boolean => format === 'date' || format === 'date-time';
// Long texts are those whose limit admits paragraphs.
const paragraph = 2_000;

const plainShape = (schema: Schema): Shape => {
  const options = fixed(schema);
  if (options !== undefined && options.length > 0) return { kind: 'choice', options };
  if (schema.picker !== undefined) return { kind: 'picker', picker: schema.picker };
  if (isTime(schema)) {
    const withTime = schema.format === 'date-time';
    return { kind: 'time', withTime, needsOffset: withTime };
  }
  switch (schema.type) {
    case 'string':
      return { kind: 'text', lines: (schema.maxLength ?? 0) > paragraph };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'switch' };
    case 'array':
      return schema.items === undefined || Object.keys(schema.items).length === 0
        ? { kind: 'json' }
        : { kind: 'list', items: schema.items };
    case 'object': {
      if (schema.properties !== undefined) return { kind: 'fields' };
      const values = schema.additionalProperties;
      const drawn = typeof values === 'object' && Object.keys(values).length > 0;
      return drawn ? { kind: 'map', values } : { kind: 'json' };
    }
    default:
      return Array.isArray(schema.type) && schema.type.includes('string')
        ? { kind: 'text', lines: false }
        : { kind: 'json' };
  }
};

export const shapeOf = (schema: Schema): Shape => {
  const variants = variantsOf(schema).filter((each) => !isNull(each));
  const [only] = variants;
  if (only === undefined) return { kind: 'json' };
  if (variants.length === 1) {
    return plainShape(schema.picker === undefined ? only : { ...only, picker: schema.picker });
  }
  const options = variants.map(fixed);
  if (options.every((each) => each !== undefined)) return { kind: 'choice', options: options.flat() };
  if (variants.every(({ type }) => type === 'string')) {
    if (variants.some(isTime)) {
      const withTime = variants.some(({ format }) => format !== 'date');
      return { kind: 'time', withTime, needsOffset: variants.every(({ format }) => format === 'date-time') };
    }
    if (options.every((each) => each === undefined)) return { kind: 'text', lines: false };
  }
  return { kind: 'union', variants };
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the value can be drawn in this shape. What cannot is shown as JSON, so that nothing is lost. */
export const fits = (shape: Shape, value: unknown): boolean => {
  if (value === undefined) return true;
  switch (shape.kind) {
    case 'text':
      return ['string', 'number', 'boolean'].includes(typeof value);
    case 'picker':
    case 'time':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'switch':
      return typeof value === 'boolean';
    case 'choice':
      return shape.options.some((option) => option === value);
    case 'list':
      return Array.isArray(value);
    case 'fields':
    case 'map':
      return isRecord(value);
    case 'union':
      return shape.variants.some((each) => fits(shapeOf(each), value));
    case 'json':
      return true;
  }
};

/** What a field begins with when it is asked for: rows and groups need something to hold their parts. */
export const blank = (schema: Schema): unknown => {
  switch (shapeOf(schema).kind) {
    case 'list':
      return [];
    case 'fields':
    case 'map':
      return {};
    case 'text':
    case 'picker':
      return '';
    default:
      return undefined;
  }
};

/** How a list is drawn: of what is chosen, all in one place; else each entry in a row of its own. */
export const listKind = ({ items }: Extract<Shape, { kind: 'list' }>): 'many-picker' | 'many-choice' | 'rows' => {
  const { kind } = shapeOf(items);
  if (kind === 'picker') return 'many-picker';
  return kind === 'choice' ? 'many-choice' : 'rows';
};
