import { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

const walk = (schema: Schema, [part, ...rest]: readonly (string | number)[]): boolean => {
  if (part === undefined) return true;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((each) => walk(each, [part, ...rest]));
  if (schema.type === 'array') return typeof part === 'number' && walk((schema.items ?? {}) as Schema, rest);
  const field = Object.hasOwn(schema.properties ?? {}, part) ? schema.properties?.[part] : undefined;
  if (field !== undefined) return walk(field as Schema, rest);
  return (schema.type === undefined || schema.type === 'object') && schema.additionalProperties !== false;
};

// Made once each, as the catalogue is code, and not before somebody asks.
const schemas = new WeakMap<z.ZodType, Schema>();
const schemaOf = (shape: z.ZodType): Schema => {
  const schema = schemas.get(shape) ?? z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' });
  schemas.set(shape, schema);
  return schema;
};

/** Whether something may stand there. What a shape leaves open may hold anything. */
export const leadsOn = (shape: z.ZodType, path: readonly (string | number)[]): boolean => walk(schemaOf(shape), path);
