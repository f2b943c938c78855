import { useQueries } from '@tanstack/react-query';
import type { Diagnosis, Trigger } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import type { Schema } from '../../../forms/schema.ts';
import { ask, narrowingOf, pickerOf } from '../../../forms/use-options.ts';
import { useBoardNames } from '../board-names.ts';
import { useTriggerTypes } from '../trigger-types.ts';

const ours = /\b(mailbox|board|member|organization|poll)\/([^\s:]+)/g;

/** What is watched, as people call it: `mailbox/me` and `board/6ae8…` are our own names for it. */
const placeOf = (kind: string, name: string, boards: ReadonlyMap<string, string>): string => {
  if (kind === 'mailbox') return name === 'me' ? 'the mailbox' : `the mailbox ${name}`;
  if (kind === 'board') return `the board ${boards.get(name) ?? name}`;
  if (kind === 'poll') return 'what it waits for';
  return kind === 'member' ? 'the account' : 'a workspace of the account';
};

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : typeof value === 'string');

/** What the lists, cards, people or folders are called that it is narrowed to, as its form would offer them. */
const useChosenNames = ({ type, accountId, config }: Trigger): ReadonlyMap<string, string> => {
  const { may } = useSession();
  const definition = useTriggerTypes().typeOf(type);
  const schema: Schema = definition?.config ?? {};
  const form = { schema, value: config, integration: definition?.integration, scope: {} };
  const pickers = Object.entries(schema.properties ?? {})
    .filter(([name]) => isGiven(config[name]))
    .map(([, field]) => pickerOf(field))
    .filter((picker) => picker !== undefined && picker !== 'boards');
  const asks = [...new Set(pickers)].flatMap((picker = '') => {
    const narrowing = narrowingOf(form, picker);
    return 'asks' in narrowing ? narrowing.asks.map((query) => ask(picker, accountId, query)) : [];
  });
  return useQueries({
    queries: asks.map((each) => ({ ...each, enabled: may('builder') })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }) => data?.items ?? []).map(({ value, label }) => [value, `“${label}”`])),
  });
};

/** Texts about a trigger with the names that people know. */
export const usePlaceWords = (trigger: Trigger) => {
  const boards = useBoardNames(trigger);
  const chosen = useChosenNames(trigger);
  const inWords = (text: string): string =>
    text.replaceAll(ours, (_, kind: string, name: string, at: number) => {
      const place = placeOf(kind, name, boards);
      return at === 0 ? place.charAt(0).toUpperCase() + place.slice(1) : place;
    });
  return {
    nameOf: (id: string) => boards.get(id) ?? chosen.get(id) ?? id,
    ofDiagnosis: (diagnosis: Diagnosis): Diagnosis => ({
      ...diagnosis,
      ...(diagnosis.cause === undefined
        ? {}
        : { cause: { ...diagnosis.cause, message: inWords(diagnosis.cause.message) } }),
      findings: diagnosis.findings.map((finding) => ({ ...finding, message: inWords(finding.message) })),
      watches: diagnosis.watches.map((watch) => ({ ...watch, resource: inWords(watch.resource) })),
    }),
  };
};
