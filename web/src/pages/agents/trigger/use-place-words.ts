import type { Diagnosis, Trigger } from '../../../../../client/src/index.ts';
import { useChosenNames } from '../chosen-names.ts';
import { useSettingWords } from '../setting-words.ts';

/** A diagnosis says a name that is known beside it; here the name of today is said. */
const ours = /(?:\bThe \w+ “[^”]*” \()?\b(mailbox|board|member|organization|poll)\/([^\s:)]+)\)?/g;

type NameOf = (id: string) => string | undefined;

/** What is watched, as people call it: `mailbox/me` and `board/6ae8…` are our own names for it. */
const placeOf = (kind: string, id: string, nameOf: NameOf): string => {
  if (kind === 'mailbox') return id === 'me' ? 'the mailbox' : `the mailbox ${id}`;
  if (kind === 'poll') return 'what it waits for';
  if (kind === 'member') return 'the account';
  const name = nameOf(id);
  const what = kind === 'board' ? 'board' : 'workspace';
  return name === undefined ? `a ${what} of the account` : `the ${what} ${name}`;
};

/** A diagnosis with the names that people know, of places as of settings. */
export const usePlaceWords = (trigger: Trigger): ((diagnosis: Diagnosis) => Diagnosis) => {
  const { nameOf } = useChosenNames(trigger);
  const settingWords = useSettingWords();
  const inWords = (text: string, { watches }: Diagnosis): string =>
    settingWords(text).replaceAll(ours, (_, kind: string, id: string, at: number) => {
      const told = watches.find(({ resource }) => resource === `${kind}/${id}`)?.name ?? undefined;
      const place = placeOf(kind, id, () => nameOf(id) ?? (told === undefined ? undefined : `“${told}”`));
      return at === 0 ? place.charAt(0).toUpperCase() + place.slice(1) : place;
    });
  return (diagnosis) => ({
    ...diagnosis,
    ...(diagnosis.cause === undefined
      ? {}
      : { cause: { ...diagnosis.cause, message: inWords(diagnosis.cause.message, diagnosis) } }),
    findings: diagnosis.findings.map((finding) => ({ ...finding, message: inWords(finding.message, diagnosis) })),
    watches: diagnosis.watches.map((watch) => ({ ...watch, resource: inWords(watch.resource, diagnosis) })),
  });
};
