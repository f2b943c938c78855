import type { Option } from '../../../client/src/index.ts';

/** By id: what was chosen before was called so when it was saved. */
export type SavedNames = Readonly<Record<string, string>>;

/** What is offered so far, and whether that is all there is. */
export type Offer = { options: readonly Option[]; isPending: boolean; isWhole: boolean };

/** An id may be called like what every object has. */
export const savedNameIn = (names: SavedNames, chosen: string): string | undefined =>
  Object.hasOwn(names, chosen) ? names[chosen] : undefined;

/** What a value is called that was chosen before; it may have been kept by its id. */
export const nameIn = ({ options }: Pick<Offer, 'options'>, chosen: string): string | undefined =>
  options.find(({ value, id }) => value === chosen || id === chosen)?.label;

// Of boards and what lies on them, and of mail folders. Anything else says something to people.
const isIdOnly = (text: string): boolean => /^(?:[\da-f]{24}|[\w=+/-]{40,})$/i.test(text);

const longest = 24;

const short = (id: string): string => (id.length > longest ? `${id.slice(0, 6)}…${id.slice(-6)}` : id);

/** A refusal with the ids that it quotes as short as the form shows them. */
export const withShortIds = (refusal: string): string =>
  refusal.replaceAll(/"([^"\s]+)"/g, (quoted, text: string) => (isIdOnly(text) ? `"${short(text)}"` : quoted));

/** One that is not offered, by the name that it had: it may be gone, or its service cannot be asked. */
export const asSaved = ({ isWhole }: Pick<Offer, 'isWhole'>, name: string): string =>
  isWhole ? `${name} (not in the list any more)` : name;

/** A value that is not called anything here. */
export const unnamed = ({ isPending, isWhole }: Omit<Offer, 'options'>, chosen: string): string => {
  if (!isIdOnly(chosen)) return chosen;
  if (isPending) return 'Loading …';
  return isWhole ? `not in the list: ${short(chosen)}` : short(chosen);
};
