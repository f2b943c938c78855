import { partsOf } from '../../forms/problems.ts';
import { isRecord, type Schema } from '../../forms/schema.ts';
import { placeholdersIn, toTemplate } from '../../forms/variables.ts';

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) || isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
};

/** Whether something may stand there. What a schema leaves open may hold anything. */
const leadsOn = (schema: Schema, [part, ...rest]: readonly string[]): boolean => {
  if (part === undefined) return true;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((each) => leadsOn(each, [part, ...rest]));
  if (schema.items !== undefined) return /^\d+$/.test(part) && leadsOn(schema.items, rest);
  const field = Object.hasOwn(schema.properties ?? {}, part) ? schema.properties?.[part] : undefined;
  if (field !== undefined) return leadsOn(field, rest);
  return (schema.type === undefined || schema.type === 'object') && schema.additionalProperties !== false;
};

/**
 * What the inputs of an agent take from an event and no event of this shape has: each run fails there. Of a trigger that is
 * saved the API tells it.
 */
export const missingFields = (input: Record<string, unknown>, event: Schema): string[] => {
  const taken = new Set(textsIn(input).flatMap(placeholdersIn));
  const missing = [...taken].filter((path) => {
    const [root, part, ...rest] = partsOf(path);
    return root === 'event' && part === 'data' && !leadsOn(event, rest);
  });
  return missing.map(toTemplate);
};
