import type { Diagnosis, Trigger } from '../../../../../client/src/index.ts';
import { useChosenNames } from '../chosen-names.ts';
import { useSettingWords } from '../setting-words.ts';
import { inPlaceWords } from './place-words.ts';

/** A diagnosis with the names that people know, of places as of settings. */
export const usePlaceWords = (trigger: Trigger): ((diagnosis: Diagnosis) => Diagnosis) => {
  const { nameOf } = useChosenNames(trigger);
  const settingWords = useSettingWords();
  const inWords = (text: string, diagnosis: Diagnosis): string => inPlaceWords(settingWords(text), diagnosis, nameOf);
  return (diagnosis) => ({
    ...diagnosis,
    ...(diagnosis.cause === undefined
      ? {}
      : { cause: { ...diagnosis.cause, message: inWords(diagnosis.cause.message, diagnosis) } }),
    findings: diagnosis.findings.map((finding) => ({ ...finding, message: inWords(finding.message, diagnosis) })),
    watches: diagnosis.watches.map((watch) => ({ ...watch, resource: inWords(watch.resource, diagnosis) })),
  });
};
