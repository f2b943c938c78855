import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

const rows = [...read('docs/proof/threats.md').matchAll(/^\| ([^|]+) \| `([^`|]+)` \| ([^|]+) \|$/gm)].map(
  ([, threat = '', file = '', sentence = '']) => ({ threat, file, sentence }),
);

const tests = globSync('{src,test,scripts}/**/*.test.ts', { cwd: new URL('..', import.meta.url) });

test('each threat has the test that its row names', () => {
  expect(rows.length).toBeGreaterThan(50);
  // A test may move, but it must be there.
  const all = tests.map(read).join('\n');
  expect(rows.filter(({ sentence }) => !all.includes(sentence))).toEqual([]);
});
