import { z } from 'zod';
import { path, type StepContext, sameName, type Upstream, wrong } from '#kit';
import type { Change } from './card-changes.ts';
import { Moment, toUtc } from './times.ts';

/** Values by the name or id of their field. */
export const CustomFieldValues = z
  .record(z.string().trim().min(1).max(200), z.union([z.string().max(16_384), z.number(), z.boolean()]).nullable())
  .refine((given) => Object.keys(given).length <= 50, { error: 'a board has at most 50 custom fields' });

const Field = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  options: z.array(z.object({ id: z.string(), value: z.object({ text: z.string() }) })).optional(),
});
export type Field = z.output<typeof Field>;

/** A value as the service tells it: by the ids of its field and its option. */
export const Item = z.looseObject({
  id: z.string(),
  idCustomField: z.string(),
  idValue: z.string().nullish(),
  value: z.record(z.string(), z.string()).nullish(),
});

/** A value as it is sent: a text under the name of its type, or the id of an option. Empty ones clear. */
type Body = { value: Record<string, string> | ''; idValue?: string };
export type FieldChange = { field: Field; body: Body };

const cleared: Body = { value: '', idValue: '' };

const refuse = ({ name }: Field, message: string, candidates?: readonly { id: string; name: string }[]): never => {
  const offered = candidates === undefined ? {} : { candidates };
  throw wrong(`customFields.${name}`, `The custom field "${name}" ${message}.`, offered);
};

const optionOf = (field: Field, given: string): Body => {
  const options = (field.options ?? []).map(({ id, value }) => ({ id, name: value.text }));
  const found = options.filter(({ id, name }) => id === given || sameName(name, given));
  const [only] = found;
  if (only === undefined || found.length > 1) return refuse(field, `has no single option "${given}"`, options);
  return { value: '', idValue: only.id };
};

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?$/i;

/** A number as people write it; of a very large or small one, the language writes a power of ten. */
const digits = (text: string): string =>
  /e/i.test(text) ? Number(text).toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 100 }) : text;

const bodyFor = (field: Field, given: string | number | boolean | null, timeZone: string | undefined): Body => {
  if (given === null || given === '') return cleared;
  const text = String(given);
  switch (field.type) {
    case 'text':
      return { value: { text } };
    case 'number':
      return decimal.test(text.trim()) ? { value: { number: digits(text.trim()) } } : refuse(field, 'is a number');
    case 'checkbox':
      if (text !== 'true' && text !== 'false') return refuse(field, 'is ticked or not: true or false');
      return text === 'true' ? { value: { checked: text } } : cleared;
    case 'date':
      if (!Moment.safeParse(text).success) {
        return refuse(field, 'is a date, such as 2026-11-20, 2026-11-20T09:00:00Z or a local time with timeZone');
      }
      return { value: { date: new Date(toUtc(text, timeZone)).toISOString() } };
    case 'list':
      return optionOf(field, text);
    default:
      return refuse(field, `has a type that cannot be written (${field.type})`);
  }
};

/** Finds the fields on the board and what to send for them, before anything is written. */
export const fieldChanges = async (
  upstream: Upstream,
  given: z.output<typeof CustomFieldValues> | undefined,
  board: () => Promise<string>,
  timeZone: string | undefined,
): Promise<FieldChange[]> => {
  const wanted = Object.entries(given ?? {});
  if (wanted.length === 0) return [];
  const fields = await fieldsOn(upstream, await board());
  return wanted.map(([name, value]) => {
    const found = fields.filter((each) => each.id === name || sameName(each.name, name));
    const [field] = found;
    if (field !== undefined && found.length === 1) return { field, body: bodyFor(field, value, timeZone) };
    const message = found.length > 1 ? 'is one of several; use the id of one' : 'is not on this board';
    const candidates = found.length > 1 ? found : fields;
    return refuse(
      { id: '', name, type: '' },
      message,
      candidates.map((each) => ({ id: each.id, name: each.name })),
    );
  });
};

export const setField = ({ upstream }: Pick<StepContext, 'upstream'>, idCard: string, { field, body }: FieldChange) =>
  upstream.put(path`/1/cards/${idCard}/customField/${field.id}/item`, { body });

export const fieldItems = async (upstream: Upstream, idCard: string) =>
  z.array(Item).parse(await upstream.get(path`/1/cards/${idCard}/customFieldItems`));

export const fieldsOn = async (upstream: Upstream, idBoard: string): Promise<Field[]> =>
  z.array(Field).parse(await upstream.get(path`/1/boards/${idBoard}/customFields`));

type Held = Pick<z.output<typeof Item>, 'value' | 'idValue'> | undefined;

const shown = (field: Field | undefined, held: Held): string | null => {
  const option = field?.options?.find(({ id }) => id === held?.idValue)?.value.text;
  return option ?? Object.values(held?.value ?? {})[0] ?? null;
};

/** What became different, by what the card had before. */
export const fieldsChanged = (
  before: Awaited<ReturnType<typeof fieldItems>>,
  changes: readonly FieldChange[],
): z.output<typeof Change>[] =>
  changes
    .map(({ field, body }) => ({
      field: field.name,
      from: shown(
        field,
        before.find(({ idCustomField }) => idCustomField === field.id),
      ),
      to: shown(field, { value: body.value === '' ? null : body.value, idValue: body.idValue }),
    }))
    .filter(({ from, to }) => from !== to);

/** The same in words. Of a field that is not known, only the value is. */
export const inWords = (item: z.output<typeof Item>, fields: readonly Field[]) => {
  const field = fields.find(({ id }) => id === item.idCustomField);
  const text = shown(field, item);
  return { ...item, ...(field === undefined ? {} : { name: field.name }), ...(text === null ? {} : { text }) };
};
