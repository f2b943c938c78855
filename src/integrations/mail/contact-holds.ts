import { isDeepStrictEqual } from 'node:util';
import { usualNames } from './contact-input.ts';
import type { WireContact } from './contact-shapes.ts';

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

type Email = { address?: string | null; name?: string | null };

const emailsOf = (value: unknown): string[] =>
  ((value ?? []) as Email[]).map(({ address, name }) => `${address?.toLowerCase()} ${name ?? address}`).sort();

/** As it is compared: the service may leave out blanks around a text, and tells what is empty in several ways. */
const plain = (field: string, value: unknown): unknown => {
  if (field === 'emailAddresses') return emailsOf(value);
  // Kept as an instant, of which only the day was asked for.
  if (isEmpty(value)) return '';
  if (typeof value === 'string') return field === 'birthday' ? value.slice(0, 10) : value.trim();
  if (Array.isArray(value)) return value.length === 0 ? '' : value.map(String).sort();
  const parts = Object.entries(value as object).filter(([, part]) => !isEmpty(part));
  return parts.length === 0 ? '' : Object.fromEntries(parts);
};

/** Whether a contact has the name that the service gives one of which the shown name is empty. */
const isMade = (now: WireContact): boolean =>
  [...usualNames(now), ...now.emailAddresses.map(({ address }) => address)].includes(now.displayName ?? '');

/** Whether a contact has all that a change asked for. */
export const holds = (now: WireContact, wanted: Readonly<Record<string, unknown>>): boolean => {
  const has: Readonly<Record<string, unknown>> = now;
  return Object.entries(wanted).every(([field, value]) => {
    if (field === 'displayName' && isEmpty(value) && isMade(now)) return true;
    return isDeepStrictEqual(plain(field, value), plain(field, has[field]));
  });
};
