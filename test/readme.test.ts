import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { variables } from '#config';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

const rows = Object.entries(variables).map(([name, { shape, about }]) => {
  const usual = shape.safeParse(undefined);
  const shown =
    usual.success && usual.data !== undefined && String(usual.data) !== '' ? `\`${String(usual.data)}\`` : '';
  return `| \`${name}\` | ${shown} | ${about} |`;
});

test('the README lists every setting as the code reads it', () => {
  const table = readme
    .split('<!-- settings')[1]
    ?.split('<!-- /settings')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(table).toEqual(rows);
});
