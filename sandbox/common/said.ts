import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const kinds: Record<string, string> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const limit = (word: string, bound: number | bigint, origin: string): string =>
  origin === 'string' || origin === 'array'
    ? `must have ${word} ${bound} ${origin === 'array' ? 'entries' : 'characters'}`
    : `must be ${word} ${bound}`;

const oneOf = (values: readonly unknown[]): string => `must be ${values.map(String).join(' or ')}`;

const wordsOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has no field ${issue.keys.join(', ')}`;
    case 'invalid_type':
      return issue.input === undefined ? 'must be given' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return limit('at least', issue.minimum, issue.origin);
    case 'too_big':
      return limit('at most', issue.maximum, issue.origin);
    case 'invalid_format':
      return `must be ${issue.format === 'datetime' ? 'a time such as 2026-11-02T09:00:00Z' : `of the form ${issue.format}`}`;
    case 'invalid_union':
      // Told apart by one field, which has none of the values that there are.
      return 'options' in issue && Array.isArray(issue.options)
        ? oneOf(issue.options)
        : 'fits none of the forms it may have';
    default:
      return issue.message;
  }
};

/** Of several forms, the one that was meant is the one with the fewest mistakes. */
const meant = (issue: Issue): Issue[] => {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const [nearest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
  return nearest.flatMap((inner) => meant({ ...inner, path: [...issue.path, ...inner.path] }));
};

/** What is wrong with a body, in sentences that name its fields. It was parsed with what it holds reported. */
export const said = ({ issues }: z.core.$ZodError): string =>
  issues
    .flatMap(meant)
    .map((issue) => `${issue.path.length === 0 ? 'The body' : issue.path.map(String).join('.')} ${wordsOf(issue)}.`)
    .join(' ');
