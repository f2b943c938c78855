export type Schema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type Where = { schemas: Record<string, Schema>; isId(name: string): boolean };

/** Every place in a body whose name says that an id of something stands there, such as `steps.0.account.id`. */
export const idPlaces = (schema: Schema | undefined, where: Where, at: readonly string[] = []): string[] => {
  if (schema === undefined) return [];
  const { $ref, anyOf = [], oneOf = [], allOf = [], properties = {}, items } = schema;
  const name = at.findLast((part) => part !== '0') ?? '';
  const leaf = schema.type === 'string' && where.isId(name) ? [at.join('.')] : [];
  return [
    ...leaf,
    ...($ref === undefined ? [] : idPlaces(where.schemas[$ref.split('/').at(-1) ?? ''], where, at)),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((each) => idPlaces(each, where, at)),
    ...Object.entries(properties).flatMap(([key, each]) => idPlaces(each, where, [...at, key])),
    ...idPlaces(items, where, [...at, '0']),
  ];
};

export const valueAt = (body: unknown, place: string): unknown =>
  place.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

export const withValueAt = (body: unknown, place: string, id: string): unknown => {
  const copy = structuredClone(body) as Record<string, unknown>;
  const parts = place.split('.');
  const holder = parts.slice(0, -1).reduce((value, key) => value[key] as Record<string, unknown>, copy);
  holder[parts.at(-1) ?? ''] = id;
  return copy;
};
