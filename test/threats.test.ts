import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

const rows = [...read('docs/proof/threats.md').matchAll(/^\| ([^|]+) \| `([^`|]+)` \| ([^|]+) \|$/gm)].map(
  ([, threat = '', file = '', sentence = '']) => ({ threat, file, sentence }),
);

test('each threat has the test that its row names', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(({ file, sentence }) => !read(file).includes(sentence))).toEqual([]);
});
