import type { QueryValue } from '#kit';

type Query = Readonly<Record<string, QueryValue>>;

const spelled = (query: Query): string =>
  JSON.stringify(
    Object.entries(query)
      .flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, String(each)]))
      .sort(([one = '', text = ''], [other = '', words = '']) => (one + text < other + words ? -1 : 1)),
  );

/** The pages of one list that were asked for: whoever is led back to one of them would read the same for ever. */
export const createTrail = () => {
  const asked = new Set<string>();
  return {
    /** Whether this page was asked for before; from now on it was. */
    isBack: (query: Query): boolean => {
      const page = spelled(query);
      const isKnown = asked.has(page);
      asked.add(page);
      return isKnown;
    },
  };
};
