import { GraphError, invalidBody } from './graph-error.ts';
import type { DateTimeTimeZone, EmailAddress, Json } from './mailbox.ts';

/* Reads what clients send. Names are canonical in answers, but matched in any letter case in requests. */

const wrong = (name: string, kind: string): GraphError =>
  invalidBody(`Cannot convert the value of property '${name}' to the expected type '${kind}'.`);

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const readText = (value: unknown, name: string): string => {
  if (typeof value !== 'string') throw wrong(name, 'Edm.String');
  return value;
};

/** Some documented samples send scalars as strings. */
export const readFlag = (value: unknown, name: string): boolean => {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw wrong(name, 'Edm.Boolean');
};

export const readInteger = (value: unknown, name: string): number => {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw wrong(name, 'Edm.Int64');
  return number;
};

export const readObject = (value: unknown, name: string): Json => {
  if (!isObject(value)) throw wrong(name, 'complex type');
  return value;
};

export const readList = (value: unknown, name: string): unknown[] => {
  if (!Array.isArray(value)) throw wrong(name, 'Collection');
  return value;
};

export const readTexts = (value: unknown, name: string): string[] =>
  readList(value, name).map((entry) => readText(entry, name));

/** Answers with the canonical spelling. */
export const readEnum = <T extends string>(value: unknown, name: string, allowed: readonly T[]): T => {
  const text = readText(value, name).toLowerCase();
  const found = allowed.find((candidate) => candidate.toLowerCase() === text);
  if (found === undefined) throw invalidBody(`Requested value '${String(value).slice(0, 100)}' was not found.`);
  return found;
};

/** The value of a property written in any letter case. */
export const pick = (object: Json, name: string): unknown => {
  if (name in object) return object[name];
  const lower = name.toLowerCase();
  for (const key of Object.keys(object)) if (key.toLowerCase() === lower) return object[key];
  return undefined;
};

export const readAddress = (value: unknown, name: string): EmailAddress => {
  const inner = readObject(pick(readObject(value, name), 'emailAddress'), `${name}/emailAddress`);
  const address = pick(inner, 'address') ?? '';
  const title = pick(inner, 'name');
  const written = readText(address, `${name}/emailAddress/address`);
  return {
    name: title === undefined || title === null ? written : readText(title, `${name}/emailAddress/name`),
    address: written,
  };
};

export const readAddresses = (value: unknown, name: string): EmailAddress[] =>
  readList(value, name).map((entry) => readAddress(entry, name));

export const readMoment = (value: unknown, name: string): DateTimeTimeZone => {
  const object = readObject(value, name);
  const dateTime = readText(pick(object, 'dateTime'), `${name}/dateTime`);
  if (Number.isNaN(Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(dateTime) ? dateTime : `${dateTime}Z`))) {
    throw wrong(`${name}/dateTime`, 'Edm.DateTimeOffset');
  }
  return { dateTime, timeZone: readText(pick(object, 'timeZone') ?? 'UTC', `${name}/timeZone`) };
};
