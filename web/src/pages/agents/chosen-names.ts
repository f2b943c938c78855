import { useQueries } from '@tanstack/react-query';
import type { Trigger } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { asSaved, nameIn, savedNameIn, unnamed } from '../../forms/chosen-words.ts';
import type { Schema } from '../../forms/schema.ts';
import { ask, narrowingOf, pickerOf } from '../../forms/use-options.ts';
import { useTriggerTypes } from './trigger-types.ts';

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : typeof value === 'string');

const pickerOfWatch = [
  ['board/', 'boards'],
  ['organization/', 'workspaces'],
] as const;

/**
 * What the boards, lists, people, folders and workspaces are called that a trigger is narrowed to and watches, as its form
 * would offer them. Their service is asked for it; who may not ask, or asks in vain, is told what they were called before.
 */
export const useChosenNames = (
  { type, accountId, config, names, watches }: Trigger,
  /** Which setting alone; without, whatever is chosen and watched. */
  { only, isWanted = true }: { only?: string; isWanted?: boolean } = {},
) => {
  const { may } = useSession();
  const definition = useTriggerTypes().typeOf(type);
  const schema: Schema = definition?.config ?? {};
  const form = { schema, value: config, integration: definition?.integration, scope: {} };
  const chosen = Object.entries(schema.properties ?? {})
    .filter(([name]) => isGiven(config[name]) && (only === undefined || only === name))
    .flatMap(([, field]) => pickerOf(field) ?? []);
  const watched = pickerOfWatch
    .filter(([kind]) => only === undefined && watches.some(({ resource }) => resource.startsWith(kind)))
    .map(([, picker]) => picker);
  const narrowings = [...new Set([...chosen, ...watched])].map((picker) => ({
    picker,
    narrowing: narrowingOf(form, picker),
  }));
  const isAsked = isWanted && definition !== undefined && may('builder');
  const offer = useQueries({
    queries: narrowings.flatMap(({ picker, narrowing }) =>
      'asks' in narrowing
        ? narrowing.asks.map((query) => ({ ...ask(picker, accountId, query), enabled: isAsked }))
        : [],
    ),
    combine: (answers) => ({
      options: answers.flatMap(({ data }) => data?.items ?? []),
      isPending: answers.some(({ isLoading }) => isLoading),
      isWhole:
        isAsked &&
        narrowings.every(({ narrowing }) => 'asks' in narrowing) &&
        answers.every(({ data }) => data !== undefined),
    }),
  });
  const inWords = (id: string): string => {
    const [name, saved] = [nameIn(offer, id), savedNameIn(names, id)];
    if (name !== undefined) return `“${name}”`;
    return saved === undefined ? unnamed(offer, id) : asSaved(offer, `“${saved}”`);
  };
  const nameOf = (id: string): string | undefined => {
    const name = nameIn(offer, id) ?? savedNameIn(names, id);
    return name === undefined ? undefined : `“${name}”`;
  };
  return { nameOf, inWords };
};

const places = [
  ['boards', 'on'],
  ['folders', 'in'],
  ['workspaces', 'in'],
] as const;

const placesOf = ({ config }: Trigger): { name?: string; joining: string; ids: string[] } => {
  const [name, joining] = places.find(([each]) => isGiven(config[each])) ?? [];
  const ids: unknown = name === undefined ? [] : config[name];
  if (name === undefined || joining === undefined || !Array.isArray(ids)) return { joining: '', ids: [] };
  return { name, joining, ids: ids.filter((each) => typeof each === 'string') };
};

/** Whether it is narrowed to boards, folders or workspaces. */
export const isPlaced = (trigger: Trigger): boolean => placesOf(trigger).ids.length > 0;

const mostNamed = 2;

/** What tells a trigger for boards, folders or workspaces from others of its kind. */
export const usePlacesInWords = (trigger: Trigger, isWanted = true): string | undefined => {
  const { name = '', joining, ids } = placesOf(trigger);
  const { nameOf } = useChosenNames(trigger, { only: name, isWanted: isWanted && ids.length > 0 });
  const named = ids.flatMap((id) => nameOf(id) ?? []).slice(0, mostNamed);
  if (named.length === 0) return undefined;
  const more = ids.length - named.length;
  return `${joining} ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
};
