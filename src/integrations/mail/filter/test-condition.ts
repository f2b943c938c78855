import type { Interval } from '../intervals.ts';
import { sameAddress, sameDomain } from './addresses.ts';
import type { InBody } from './body-terms.ts';
import { type Calendar, moves } from './days.ts';
import { foldText } from './fold-text.ts';
import type { FoldedMail } from './folded-mail.ts';
import type { Condition, Range } from './tree.ts';

/** Whether a mail fits, and how dear it is to find out. */
export type Test = { cost: number; fits: (mail: FoldedMail) => boolean };

type Of<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>;

const compare = (match: Of<'text'>['match'], text: string): ((found: string) => boolean) => {
  const wanted = foldText(text);
  switch (match) {
    case 'contains':
      return (found) => found.includes(wanted);
    case 'equals':
      return (found) => found === wanted;
    case 'starts':
      return (found) => found.startsWith(wanted);
    case 'ends':
      return (found) => found.endsWith(wanted);
  }
};

const testText = ({ field, match, text }: Of<'text'>, inBody: InBody): Test => {
  if (field === 'body' && match === 'contains') {
    const wanted = foldText(text);
    return { cost: 50, fits: (mail) => inBody(mail, wanted) };
  }
  const fits = compare(match, text);
  if (field === 'subject') return { cost: 5, fits: (mail) => fits(mail.subject) };
  if (field === 'body') return { cost: 50, fits: (mail) => fits(mail.body) };
  return { cost: 5, fits: (mail) => mail.attachmentNames.some(fits) };
};

const testWord = ({ text }: Of<'word'>, inBody: InBody): Test => {
  const wanted = foldText(text);
  const fits = (mail: FoldedMail): boolean =>
    mail.subject.includes(wanted) || mail.people('from').text.includes(wanted) || inBody(mail, wanted);
  return { cost: 60, fits };
};

const testPerson = ({ role, by, text }: Of<'person'>): Test => {
  if (by === 'text') {
    const wanted = foldText(text);
    return { cost: 5, fits: (mail) => mail.people(role).text.includes(wanted) };
  }
  if (by === 'address') {
    const wanted = sameAddress(text);
    return { cost: 3, fits: (mail) => mail.people(role).addresses.includes(wanted) };
  }
  const wanted = sameDomain(text);
  const below = `.${wanted}`;
  const isThere = (domain: string): boolean => domain === wanted || domain.endsWith(below);
  return { cost: 3, fits: (mail) => mail.people(role).domains.some(isThere) };
};

const testCategory = ({ match, text }: Of<'category'>): Test => {
  const fits = compare(match, text);
  return { cost: 3, fits: (mail) => mail.categories.some(fits) };
};

/** What a comparison admits, from its start up to but without its end, given the stretch that a value covers. */
const admitted = <T>(range: Range<T>, stretchOf: (value: T) => Interval): Interval => {
  if (range.operator === '..') return { start: stretchOf(range.from).start, end: stretchOf(range.to).end };
  const { start, end } = stretchOf(range.value);
  switch (range.operator) {
    case ':':
      return { start, end };
    case '<':
      return { start: Number.NEGATIVE_INFINITY, end: start };
    case '<=':
      return { start: Number.NEGATIVE_INFINITY, end };
    case '>':
      return { start: end, end: Number.POSITIVE_INFINITY };
    case '>=':
      return { start, end: Number.POSITIVE_INFINITY };
  }
};

const within = (value: number | undefined, { start, end }: Interval): boolean =>
  value !== undefined && value >= start && value < end;

const testSize = ({ range }: Of<'size'>): Test => {
  const interval = admitted(range, (bytes) => ({ start: bytes, end: bytes + 1 }));
  return { cost: 1, fits: (mail) => within(mail.size, interval) };
};

const testDate = ({ field, range }: Of<'date'>, calendar: Calendar): Test => {
  const moving = (range.operator === '..' ? [range.from, range.to] : [range.value]).some(moves);
  let known: { today: string; interval: Interval } | undefined;
  const interval = (): Interval => {
    const today = moving ? calendar.today() : '';
    if (known?.today !== today) known = { today, interval: admitted(range, (day) => calendar.spanOf(day, today)) };
    return known.interval;
  };
  return { cost: 2, fits: (mail) => within(mail[field], interval()) };
};

export const testCondition = (condition: Condition, calendar: Calendar, inBody: InBody): Test => {
  switch (condition.kind) {
    case 'word':
      return testWord(condition, inBody);
    case 'text':
      return testText(condition, inBody);
    case 'person':
      return testPerson(condition);
    case 'category':
      return testCategory(condition);
    case 'flag': {
      const { flag, value } = condition;
      return { cost: 1, fits: (mail) => mail[flag] === value };
    }
    case 'importance':
      return { cost: 1, fits: (mail) => mail.importance === condition.level };
    case 'size':
      return testSize(condition);
    case 'date':
      return testDate(condition, calendar);
  }
};
