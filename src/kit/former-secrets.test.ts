import { expect, test } from 'vitest';
import { keepFormer, splitFormer } from './former-secrets.ts';

test('the newest of former secrets is kept alone, as the version before reads it, and few beside it', () => {
  expect(keepFormer(undefined, undefined)).toEqual({});
  expect(keepFormer('c')).toEqual({ previous: 'c' });
  expect(keepFormer('c', 'b', 'a')).toEqual({ previous: 'c', earlier: 'b a' });
  // One that cannot be opened any more is left out.
  expect(keepFormer(undefined, 'b', 'a')).toEqual({ previous: 'b', earlier: 'a' });
  expect(keepFormer('f', 'e', 'd c b a')).toEqual({ previous: 'f', earlier: 'e d c' });
  expect(splitFormer(keepFormer('c', 'b', 'a').earlier)).toEqual(['b', 'a']);
});
