import { z } from 'zod';
import { type Explains, Fields, places, sameText, text, thing } from './explaining.ts';

const Told = z.object({ value: z.unknown().optional(), idValue: z.string().nullish() });
const Sent = Told.extend({ idCustomField: z.string().optional() });
const Several = z.array(Sent);

/** A number or a date is told as the service writes it. */
const isSame = (told: unknown, wanted: unknown): boolean =>
  sameText(told, wanted) ||
  (text(wanted) !== '' && Number(text(told)) === Number(text(wanted))) ||
  Date.parse(text(told)) === Date.parse(text(wanted));

const isSet = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A choice is told by the id of its option, anything else by a value under the name of its type. */
const gives = (told: z.output<typeof Told>, { value, idValue }: z.output<typeof Sent>): boolean => {
  if (text(idValue) !== '') return sameText(told.idValue, idValue);
  if (!isSet(value)) return !isSet(told.value) && text(told.idValue) === '';
  const now = Fields.safeParse(told.value).data ?? {};
  return Object.entries(Fields.parse(value)).every(([type, wanted]) => isSame(now[type], wanted));
};

/** One custom field of a card by its own address, or several at once. */
export const setsCustomField: Explains = ({ data, write, sent, path }) => {
  const field = thing(data, 'customField')?.id;
  const told = Told.safeParse(data['customFieldItem']).data;
  const rest = ['cards', 'card'].flatMap((word) =>
    places(data, `${word}/:card`).flatMap((card) => (path.startsWith(`${card}/`) ? [path.slice(card.length + 1)] : [])),
  )[0];
  if (write.method !== 'PUT' || field === undefined || told === undefined) return false;
  if (rest === `customField/${field}/item`) return gives(told, Sent.safeParse(sent).data ?? {});
  const several = rest === 'customFields' ? Several.safeParse(sent['customFieldItems']).data : undefined;
  return several?.some((each) => each.idCustomField === field && gives(told, each)) ?? false;
};
