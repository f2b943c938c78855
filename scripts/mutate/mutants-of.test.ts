import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { applied, mutantsOf } from './mutants-of.ts';
import { parts } from './parts.ts';
import { regexChanges } from './regex-changes.ts';

const root = path.resolve(import.meta.dirname, '../..');
const changed = (source: string): string[] => mutantsOf('any.ts', source).map((mutant) => applied(source, mutant));

test.each([
  ['a boundary', 'const a = b < 3;', 'const a = ((b) <= (3));'],
  ['a comparison', 'const a = b === c;', 'const a = false;'],
  ['a condition', 'if (a) b();', 'if (true) b();'],
  ['a joint', 'const a = b && c;', 'const a = ((b) || (c));'],
  ['a statement', 'a();', ';'],
  ['what is thrown', 'if (a) throw b;', 'if (a) ;'],
  ['what is returned', 'const a = () => b;', 'const a = () => undefined;'],
  ['a text', "const a = 'b';", "const a = '';"],
  ['a number', 'const a = 1;', 'const a = 2;'],
  ['an optional member', 'const a = b?.c;', 'const a = b.c;'],
  ['a method', 'const a = b.some(c);', 'const a = b.every(c);'],
  ['a pattern', 'const a = /^b/;', 'const a = /b/;'],
])('%s is changed', (_, source, expected) => {
  expect(changed(source)).toContain(expected);
});

test('types, imports and names are left alone', () => {
  expect(changed("import a from 'b'; type C = 'd'; export const e = a['f' as 'f'] as C;")).toEqual([
    expect.stringContaining("a['' as 'f'] as C"),
  ]);
});

test('a pattern loses its anchors and repetitions and has its classes turned around', () => {
  expect(regexChanges('^[^a]+\\s$').map(({ pattern }) => pattern)).toEqual([
    '[^a]+\\s$',
    '^[a]+\\s$',
    '^[^a]\\s$',
    '^[^a]+\\S$',
    '^[^a]+\\s',
  ]);
});

test('the files of every part are there and have something to change', () => {
  for (const { sources, tests } of Object.values(parts)) {
    for (const file of tests) expect(readFileSync(path.join(root, file), 'utf8')).toContain('vitest');
    const mutants = sources.flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')));
    expect(mutants.length).toBeGreaterThan(100);
  }
});
