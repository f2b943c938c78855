import { inLabels, labelOf } from '../../forms/words.ts';
import { useTriggerTypes } from './trigger-types.ts';

// By itself, or in a list at the end of a sentence: elsewhere a plain word is meant as one.
const alone = /(?<=^|[:;] )[a-z]+(?=;|\.?$)/g;

/** A sentence about what a trigger is set to, with its settings as their form calls them: “To lists” for `toLists`. */
export const useSettingWords = (): ((text: string) => string) => {
  const { types } = useTriggerTypes();
  const names = [...new Set(types.flatMap(({ config }) => Object.keys(config['properties'] ?? {})))];
  return (text) =>
    inLabels(text, names).replaceAll(alone, (name) => (names.includes(name) ? `“${labelOf(name, names)}”` : name));
};
