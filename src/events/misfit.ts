import { type Catalogue, inOneLine, wrongFields } from '#kit';

/** What is wrong with the stored settings of a trigger, such as after an upgrade: it starts nothing until they are mended. */
export const misfitOf = (
  catalogue: Catalogue,
  { type, config }: { type: string; config: unknown },
): string | undefined => {
  const definition = catalogue.trigger(type);
  if (definition === undefined) {
    return `There is no trigger of the type ${type} any more, so it starts nothing. Make another one in its place.`;
  }
  const { error } = definition.config.safeParse(config);
  if (error === undefined) return undefined;
  const mistakes = inOneLine(wrongFields(error.issues));
  return `Its settings do not fit any more (${mistakes}), so it starts nothing. Look at them, and save them again.`;
};
