import { inLabels } from '../../forms/words.ts';
import { useTriggerTypes } from './trigger-types.ts';

/** A sentence about what a trigger is set to, with its settings as their form calls them: “To lists” for `toLists`. */
export const useSettingWords = (): ((text: string) => string) => {
  const { types } = useTriggerTypes();
  const names = [...new Set(types.flatMap(({ config }) => Object.keys(config['properties'] ?? {})))];
  return (text) => inLabels(text, names);
};
