import type { CatalogueTrigger } from '#kit';
import type { ListedTrigger } from './rosters.ts';

/** Fewer are asked one by one for less. */
const many = 50;

/** Which of those who wait may fire at all, by their ids; `undefined` where they are few, or cannot be asked together. */
export type Likely = (body: unknown) => ReadonlySet<string> | undefined;

type Asked = { definition: Extract<CatalogueTrigger, { kind: 'webhook' }>; find(delivery: unknown): Iterable<string> };

const askedTogether = (triggers: readonly ListedTrigger[]): Asked[] =>
  [...Map.groupBy(triggers, ({ definition }) => definition)].flatMap(([definition, those]) => {
    const find = definition.kind === 'webhook' && those.length >= many ? definition.index?.(those) : undefined;
    return definition.kind === 'webhook' && find !== undefined ? [{ definition, find }] : [];
  });

/** Asks those of a kind together, where the kind has an index of its configurations. It is made when it is first asked. */
export const likelyAmong = (triggers: readonly ListedTrigger[]): Likely => {
  let asked: readonly Asked[] | undefined;
  return (body) => {
    asked ??= askedTogether(triggers);
    if (asked.length === 0) return undefined;
    const together = new Set<CatalogueTrigger>(asked.map(({ definition }) => definition));
    const likely = new Set(triggers.flatMap(({ id, definition }) => (together.has(definition) ? [] : [id])));
    for (const { definition, find } of asked) {
      const { data } = definition.delivery.safeParse(body);
      for (const id of data === undefined ? [] : find(data)) likely.add(id);
    }
    return likely;
  };
};
