import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noticeTypes } from './index.ts';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

test('the page about webhooks lists every message with exactly its fields', () => {
  const listed = [...page.matchAll(/^\| `(\w+\.\w+)` \|.*\| (.*) \|$/gm)].map(([, type, fields]) => [type, fields]);
  const declared = Object.entries(noticeTypes).map(([type, { data }]) => [
    type,
    Object.entries(data.shape)
      .map(([name, field]) => `\`${name}${field.safeParse(undefined).success ? '?' : ''}\``)
      .join(', '),
  ]);
  expect(listed).toEqual(declared);
});
