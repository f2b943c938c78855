import type { Store } from '#store';

/** How many rows the database reads for a statement and does not use, by its own account. */
export const readInVain = async (store: Store, text: string, values: readonly unknown[]): Promise<number> => {
  const statement = {
    name: `explain ${text.slice(0, 40)}`,
    text: `explain (analyze, timing off, format json) ${text}`,
  };
  const [answer] = await store.planned<{ 'QUERY PLAN': unknown }>(statement, values);
  let rows = 0;
  JSON.stringify(answer?.['QUERY PLAN'], (name, value) => {
    if (name === '' || Array.isArray(value) || typeof value !== 'object' || value === null) return value;
    const { 'Rows Removed by Filter': removed = 0, 'Actual Loops': loops = 1 } = value as Record<string, number>;
    rows += removed * loops;
    return value;
  });
  return rows;
};
