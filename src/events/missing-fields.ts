import { z } from 'zod';
import type { CatalogueTrigger } from '#kit';
import { takenFromEvent } from '#runs';

type Schema = z.core.JSONSchema.JSONSchema;

/** Whether something may stand there. What a schema leaves open may hold anything. */
const leadsOn = (schema: Schema, [part, ...rest]: readonly (string | number)[]): boolean => {
  if (part === undefined) return true;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((each) => leadsOn(each, [part, ...rest]));
  if (schema.items !== undefined) return typeof part === 'number' && leadsOn(schema.items as Schema, rest);
  const field = Object.hasOwn(schema.properties ?? {}, part) ? schema.properties?.[part] : undefined;
  if (field !== undefined) return leadsOn(field as Schema, rest);
  return (schema.type === undefined || schema.type === 'object') && schema.additionalProperties !== false;
};

// Made once each, as the catalogue is code, and not before somebody asks.
const schemas = new WeakMap<CatalogueTrigger, Schema>();
const schemaOf = (definition: CatalogueTrigger): Schema => {
  const schema = schemas.get(definition) ?? z.toJSONSchema(definition.event, { io: 'output', unrepresentable: 'any' });
  schemas.set(definition, schema);
  return schema;
};

/**
 * What the inputs of an agent take from an event and no event of this type has: each run that it starts fails there. The web
 * app's missing-fields.ts tells the same of a trigger that is not saved yet.
 */
export const missingFields = (input: Record<string, unknown>, definition: CatalogueTrigger): string[] => {
  const taken = takenFromEvent(input);
  if (taken.length === 0) return [];
  const schema = schemaOf(definition);
  return taken.flatMap(({ text, path }) => (leadsOn(schema, path) ? [] : [text]));
};
