import { isRecord } from '../../../forms/schema.ts';

const isUsual = (value: unknown, schema: unknown): boolean => {
  const usual = isRecord(schema) ? schema['default'] : undefined;
  const isNothing = value === '' || (Array.isArray(value) && value.length === 0);
  return (isNothing && (usual === undefined || isUsual(usual, {}))) || JSON.stringify(value) === JSON.stringify(usual);
};

/** A stored configuration without what is as usual anyway or exists no more: a form shows only what somebody can choose. */
export const withoutDefaults = (
  config: Record<string, unknown>,
  schema: Record<string, unknown>,
): Record<string, unknown> => {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(config).filter(([name, value]) => name in properties && !isUsual(value, properties[name])),
  );
};
