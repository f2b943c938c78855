import { type Catalogue, type CatalogueTrigger, Fault, inOneLine, otherNames, wrong, wrongFields } from '#kit';

export const triggerOf = (catalogue: Catalogue, type: string): CatalogueTrigger => {
  const definition = catalogue.trigger(type);
  if (definition !== undefined) return definition;
  const types = catalogue.triggers.map(({ id }) => id);
  throw wrong('type', `There is no trigger of the type "${type}"; there are: ${types.join(', ')}.`, { types });
};

export const parseConfig = (definition: CatalogueTrigger, given: unknown): Record<string, unknown> => {
  const parsed = definition.config.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const fields = wrongFields(parsed.error.issues, 'config');
  const known = otherNames(parsed.error.issues, definition.config.shape);
  throw new Fault('invalid_input', `The configuration does not fit ${definition.id}. ${inOneLine(fields)}${known}`, {
    details: { fields },
  });
};
