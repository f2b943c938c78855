import { invalidProperty } from '../graph-error.ts';
import type { Json } from '../mailbox.ts';
import { caseless } from '../route.ts';
import { readText } from '../values.ts';
import { zoneNamed } from './zones.ts';

export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof weekdays)[number];
export const weekIndexes = ['first', 'second', 'third', 'fourth', 'last'] as const;
const patternTypes = [
  'daily',
  'weekly',
  'absoluteMonthly',
  'relativeMonthly',
  'absoluteYearly',
  'relativeYearly',
] as const;
const rangeTypes = ['endDate', 'noEnd', 'numbered'] as const;

export type Pattern = {
  type: (typeof patternTypes)[number];
  interval: number;
  month: number;
  dayOfMonth: number;
  daysOfWeek: Weekday[];
  firstDayOfWeek: Weekday;
  index: (typeof weekIndexes)[number];
};
export type Range = {
  type: (typeof rangeTypes)[number];
  startDate: string;
  endDate: string;
  recurrenceTimeZone: string;
  numberOfOccurrences: number;
};
export type Recurrence = { pattern: Pattern; range: Range };

const object = (value: unknown, name: string): Map<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidProperty(`The recurrence needs a ${name}.`);
  }
  return caseless(value as Json);
};
const member = <T extends string>(value: unknown, values: readonly T[], name: string): T => {
  const found = typeof value === 'string' ? values.find((v) => v.toLowerCase() === value.toLowerCase()) : undefined;
  if (found === undefined) throw invalidProperty(`The value of ${name} is not valid.`);
  return found;
};
const whole = (value: unknown, min: number, max: number, name: string): number => {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
    throw invalidProperty(`The value of ${name} is not valid.`);
  }
  return number;
};
const date = (value: unknown, name: string): string => {
  const text = typeof value === 'string' ? value.slice(0, 10) : '';
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text)) || text < '1601') {
    throw invalidProperty(`The value of ${name} is not valid.`);
  }
  return text;
};

/** Reads a patternedRecurrence; what a pattern does not use gets the values the service shows for it. */
export const readRecurrence = (value: unknown, eventZone: string): Recurrence => {
  const given = object(value, 'pattern and a range');
  return { pattern: readPattern(given.get('pattern')), range: readRange(given.get('range'), eventZone) };
};

const readPattern = (value: unknown): Pattern => {
  const given = object(value, 'pattern');
  const type = member(given.get('type'), patternTypes, 'type');
  const pattern: Pattern = {
    type,
    interval: whole(given.get('interval'), 1, 99, 'interval'),
    month: 0,
    dayOfMonth: 0,
    daysOfWeek: [],
    firstDayOfWeek: member(given.get('firstdayofweek') ?? 'sunday', weekdays, 'firstDayOfWeek'),
    index: 'first',
  };
  if (type === 'weekly' || type.startsWith('relative')) {
    const days = given.get('daysofweek');
    if (!Array.isArray(days) || days.length === 0) throw invalidProperty('The pattern needs daysOfWeek.');
    pattern.daysOfWeek = [...new Set(days.map((day) => member(day, weekdays, 'daysOfWeek')))];
  }
  if (type.startsWith('relative')) pattern.index = member(given.get('index') ?? 'first', weekIndexes, 'index');
  if (type.startsWith('absolute')) pattern.dayOfMonth = whole(given.get('dayofmonth'), 1, 31, 'dayOfMonth');
  if (type.endsWith('Yearly')) pattern.month = whole(given.get('month'), 1, 12, 'month');
  return pattern;
};

const readRange = (value: unknown, eventZone: string): Range => {
  const given = object(value, 'range');
  const type = member(given.get('type'), rangeTypes, 'type');
  const range: Range = {
    type,
    startDate: date(given.get('startdate'), 'startDate'),
    endDate: '0001-01-01',
    recurrenceTimeZone: zoneNamed(readText(given.get('recurrencetimezone') || eventZone, 'recurrenceTimeZone')).name,
    numberOfOccurrences: 0,
  };
  if (type === 'endDate') {
    range.endDate = date(given.get('enddate'), 'endDate');
    if (range.endDate < range.startDate) throw invalidProperty('The recurrence ends before it starts.');
  }
  if (type === 'numbered') {
    range.numberOfOccurrences = whole(given.get('numberofoccurrences'), 1, 999, 'numberOfOccurrences');
  }
  return range;
};
