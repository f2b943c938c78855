import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addKeyInFolder, keyRingFromText, keyRingInFolder } from './key-ring.ts';
import { createSealer, type Place, Unreadable } from './sealing.ts';

const first = Buffer.alloc(32, 1).toString('base64');
const second = Buffer.alloc(32, 2).toString('base64');
const place: Place = { workspace: 'ws_1', table: 'accounts', row: 'acc_1', column: 'credential' };
const sealer = createSealer(keyRingFromText(first));

test('what is sealed opens again, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (plain) => {
      fc.pre(plain.isWellFormed());
      expect(sealer.open(sealer.seal(plain, place), place)).toBe(plain);
    }),
  );
});

test.each(Object.keys(place) as (keyof Place)[])('a sealed value is unreadable in another %s', (part) => {
  const sealed = sealer.seal('token', place);
  expect(() => sealer.open(sealed, { ...place, [part]: 'other' })).toThrow(Unreadable);
});

test('names that run together do not make one place of two', () => {
  const sealed = sealer.seal('token', { ...place, table: 'a","b', row: 'c' });
  expect(() => sealer.open(sealed, { ...place, table: 'a', row: 'b","c' })).toThrow(Unreadable);
});

test('any changed byte makes it unreadable', () => {
  const sealed = sealer.seal('a secret token', place);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealer.open(changed, place), `byte ${at}`).toThrow(Unreadable);
  }
});

test('the secret is not in the sealed bytes, and two seals of it differ', () => {
  const [one, two] = [sealer.seal('a secret token', place), sealer.seal('a secret token', place)];
  expect(one.includes('a secret token')).toBe(false);
  expect(one.equals(two)).toBe(false);
});

test('an error about a sealed value holds nothing of it', () => {
  const sealed = sealer.seal('a secret token', place);
  const open = () => sealer.open(sealed, { ...place, row: 'x' });
  expect(open).toThrow(/does not belong to this place/);
  expect(open).not.toThrow(/secret/);
});

describe('with a newer key in the ring', () => {
  const both = createSealer(keyRingFromText(`2:${second},1:${first}`));

  test('older values still open, and new ones use the newest key', () => {
    expect(both.open(sealer.seal('old', place), place)).toBe('old');
    const onlyNew = createSealer(keyRingFromText(`2:${second}`));
    expect(onlyNew.open(both.seal('new', place), place)).toBe('new');
  });

  test('rewrapping brings a value under the newest key without changing it, once', () => {
    const fresh = both.rewrap(sealer.seal('old', place), place);
    if (fresh === undefined) throw new Error('nothing was rewrapped');
    expect(createSealer(keyRingFromText(`2:${second}`)).open(fresh, place)).toBe('old');
    expect(both.rewrap(fresh, place)).toBeUndefined();
  });

  test('a value under a key that is gone is unreadable and says which version it needs', () => {
    expect(() => createSealer(keyRingFromText(`2:${second}`)).open(sealer.seal('old', place), place)).toThrow(
      'version 1',
    );
  });
});

describe('keys under DATA_DIR', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-keys-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  test('are made once, readable by their owner alone', () => {
    const [one, two] = [keyRingInFolder(dataDir), keyRingInFolder(dataDir)];
    expect(one.newest().key.equals(two.newest().key)).toBe(true);
    expect(statSync(join(dataDir, 'secrets', 'keys')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'secrets')).mode & 0o777).toBe(0o700);
  });

  test('a folder opened to others is closed again', () => {
    keyRingInFolder(dataDir);
    chmodSync(join(dataDir, 'secrets'), 0o755);
    addKeyInFolder(dataDir);
    expect(statSync(join(dataDir, 'secrets')).mode & 0o777).toBe(0o700);
  });

  test('a rotation is seen by rings that are open already, and keeps the older keys', () => {
    const open = keyRingInFolder(dataDir);
    const before = open.newest();
    expect(addKeyInFolder(dataDir)).toBe(2);
    expect(open.newest().version).toBe(2);
    expect(open.get(1)?.equals(before.key)).toBe(true);
    expect(
      readFileSync(join(dataDir, 'secrets', 'keys'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(2);
  });
});
