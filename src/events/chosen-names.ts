import { sql } from 'kysely';
import { z } from 'zod';
import { type Clock, orLate } from '#clock';
import { type CatalogueTrigger, type Picker, type SettleContext, storableJson } from '#kit';
import type { Store } from '#store';
import { shortened } from './draft.ts';

/** By id: what the boards, lists, cards, labels, people, folders and workspaces of a trigger's settings are called. */
export type ChosenNames = Readonly<Record<string, string>>;

/** An id may be called like what every object has. */
export const nameIn = (names: ChosenNames, id: string): string | undefined =>
  Object.hasOwn(names, id) ? names[id] : undefined;

type Config = Readonly<Record<string, unknown>>;
type Chosen = { picker: Picker; values: string[] };

/** Whoever saves a trigger waits so long for them at most. */
const patienceMs = 3_000;

const Field = z.object({ picker: z.string() }).or(z.object({ items: z.object({ picker: z.string() }) }));
const Fields = z.object({ properties: z.record(z.string(), z.unknown()).default({}) });

const pickerOf = (field: unknown): string | undefined => {
  const { data } = Field.safeParse(field);
  if (data === undefined) return undefined;
  return 'items' in data ? data.items.picker : data.picker;
};

const textsIn = (value: unknown): string[] => [value].flat().filter((each) => typeof each === 'string');

const chosenIn = (definition: CatalogueTrigger, config: Config): Chosen[] => {
  const { properties } = Fields.parse(z.toJSONSchema(definition.config, { io: 'input', unrepresentable: 'any' }));
  const chosen = Object.entries(properties).map(([name, field]) => ({
    of: pickerOf(field),
    values: textsIn(config[name]),
  }));
  return definition.integration.pickers.flatMap((picker) => {
    const values = chosen.flatMap(({ of, values: some }) => (of === picker.name ? some : []));
    return values.length === 0 ? [] : [{ picker, values: [...new Set(values)] }];
  });
};

/** Those that have no name so far come first: of very many not all are asked about at once. */
const unnamedFirst = (values: readonly string[], known: ChosenNames): string[] => {
  const isKnown = (each: string) => nameIn(known, each) !== undefined;
  return [...values.filter((each) => !isKnown(each)), ...values.filter(isKnown)];
};

export const createChosenNames = ({ store, clock }: { store: Store; clock: Clock }) => ({
  /** Read from the service. What is gone, or cannot be read now, keeps the name that it had. */
  read: async (
    definition: CatalogueTrigger,
    config: Config,
    known: ChosenNames,
    { upstream }: Pick<SettleContext, 'upstream'>,
  ): Promise<ChosenNames> => {
    const chosen = chosenIn(definition, config);
    const nothing: ReadonlyMap<string, string> = new Map();
    const read = await Promise.all(
      chosen.map(({ picker, values }) => {
        // A trigger is none the worse for a name that cannot be told.
        const reading = picker.named?.(unnamedFirst(values, known), config, { upstream }).catch(() => nothing);
        return orLate(clock, reading ?? Promise.resolve(nothing), patienceMs, nothing);
      }),
    );
    const names = new Map([...Object.entries(known), ...read.flatMap((each) => [...each])]);
    const still = new Set(chosen.flatMap(({ values }) => values));
    return Object.fromEntries([...names].flatMap(([id, name]) => (still.has(id) ? [[id, shortened(name)]] : [])));
  },

  /** Unless it was changed once more by then. Of an account that has left nothing is kept: whoever erases it comes after this. */
  keep: async (workspaceId: string, { id, version }: { id: string; version: number }, names: ChosenNames) => {
    await sql`
      with connected as (
        select a.id from accounts a where a.workspace_id = ${workspaceId} and a.state <> 'disconnected' and a.id =
          (select account_id from triggers where workspace_id = ${workspaceId} and id = ${id}) for share
      )
      update triggers t set names = ${storableJson(JSON.stringify(names))} from connected
      where t.workspace_id = ${workspaceId} and t.id = ${id} and t.version = ${version}
        and t.account_id = connected.id`.execute(store.of(workspaceId));
  },
});
