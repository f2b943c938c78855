import fc from 'fast-check';

const halves = { from: 0xd800, count: 0x800 };

/** Text of any characters. fast-check's own makes a table of all of them first, a million entries that stay. */
export const anyText = (limits: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({
    ...limits,
    unit: fc
      .integer({ min: 0, max: 0x10ffff - halves.count })
      .map((nth) => String.fromCodePoint(nth < halves.from ? nth : nth + halves.count)),
  });
