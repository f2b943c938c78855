import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from './paging.ts';

test('pages put together are the whole, in order, whatever their size', () => {
  const items = fc.uniqueArray(fc.record({ id: fc.string(), pos: fc.integer() }), { selector: ({ id }) => id });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 7 }), (all, limit) => {
      const read: typeof all = [];
      let cursor: string | undefined;
      do {
        const page = pageOf(all, ({ pos, id }) => [pos, id], { limit, cursor });
        expect(page.truncated).toBe(page.nextCursor !== undefined);
        read.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(read).toHaveLength(all.length);
      expect(read.map(({ pos }) => pos)).toEqual(all.map(({ pos }) => pos).toSorted((a, b) => a - b));
    }),
  );
});

test('a cursor that we did not make is refused', () => {
  for (const cursor of ['x', '', 'bnVsbA', Buffer.from('{"a":1}').toString('base64url')]) {
    expect(() => pageOf([], () => [''], { limit: 1, cursor })).toThrow(/nextCursor/);
  }
});
