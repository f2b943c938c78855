import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutTo, readPages } from './api-paging.ts';

const wireBytes = (text: string) => Buffer.byteLength(text);

test('knowing how long an answer was on the wire changes nothing about what fits', () => {
  const numbers = fc.constantFrom('1e20', '-1e20', '1e-6', '5', '1E5');
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\u0001', '"', '\\', '\u2028') });
  const json = fc.oneof(
    fc.array(numbers).map((each) => `[${each.join(',')}]`),
    fc.array(texts).map((each) => JSON.stringify(each)),
    // Text that is no JSON comes as it is.
    texts,
  );
  fc.assert(
    fc.property(json, fc.boolean(), fc.integer({ min: 1, max: 2_000 }), (text, isText, maxBytes) => {
      let body: unknown = text;
      try {
        if (!isText) body = JSON.parse(text);
      } catch {
        body = text;
      }
      expect(cutTo({ body, bytes: wireBytes(text) }, maxBytes)).toEqual(cutTo({ body }, maxBytes));
    }),
    { examples: [['', false, 1]] },
  );
});

test('pages that are too large together are cut, however short the last one was', async () => {
  const card = (n: number) => ({ id: `card${n}`, text: 'x'.repeat(100) });
  const pages = [Array.from({ length: 1_000 }, (_, n) => card(n)), [card(1_000)]];
  const { answer } = await readPages(
    async () => {
      const body = pages.shift() ?? [];
      return { status: 200, headers: {}, body, bytes: wireBytes(JSON.stringify(body)) };
    },
    {},
    10_000,
    1_000_000,
  );
  expect(answer.body).toHaveLength(1_001);
  const { data, cut } = cutTo(answer, 50_000);
  expect(cut).toBeDefined();
  expect(wireBytes(JSON.stringify(data))).toBeLessThanOrEqual(50_000);
});
