import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anyText } from '../../test/any-text.ts';
import { addKeyInFolder, keyRingFromText, keyRingInFolder, toldWhose } from './key-ring.ts';
import { createSealer, type Place, Unreadable } from './sealing.ts';
import { tryKeys } from './try-keys.ts';

const first = Buffer.alloc(32, 1).toString('base64');
const second = Buffer.alloc(32, 2).toString('base64');
const place: Place = { workspace: 'ws_1', table: 'accounts', row: 'acc_1', column: 'credential' };
const sealer = createSealer(keyRingFromText(first));

test('what is sealed opens again, whatever it holds', () => {
  fc.assert(
    fc.property(anyText(), (plain) => {
      fc.pre(plain.isWellFormed());
      expect(sealer.open(sealer.seal(plain, place), place)).toBe(plain);
    }),
  );
});

test.each(Object.keys(place) as (keyof Place)[])('a sealed value is unreadable in another %s', (part) => {
  const sealed = sealer.seal('token', place);
  expect(() => sealer.open(sealed, { ...place, [part]: 'other' })).toThrow(Unreadable);
  // Also once it was opened where it belongs, and there again.
  expect(sealer.open(sealed, place)).toBe('token');
  expect(() => sealer.open(sealed, { ...place, [part]: 'other' })).toThrow(Unreadable);
  expect(sealer.open(sealed, place)).toBe('token');
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

test('what an earlier release has sealed still opens', () => {
  const kept =
    'AQAAAAeSHPlt5BMm3df/EcZI3BpZvLhL0OfY2Hll6jdemgfv92CkgWs5pVmMdBuEHsaoFh4M15fCbCG+uvjMAL10AlXQkjiJDN/o' +
    'J6IEm3em047RzHBzGufAIg4DsJg8W2CyBHTMzX1YD7zR+EkQYJbZ39syp729bA==';
  const then = createSealer(keyRingFromText(`7:${first}`));
  expect(then.open(Buffer.from(kept, 'base64'), place)).toBe('kept since the first release');
});

test('what is too short or of another format is no sealed value, and an empty secret is one', () => {
  const sealed = sealer.seal('', place);
  for (let length = 0; length < sealed.length; length++) {
    expect(() => sealer.open(sealed.subarray(0, length), place), `${length} bytes`).toThrow('not a sealed value');
  }
  const other = Buffer.from(sealed);
  other[0] = 9;
  expect(() => sealer.open(other, place)).toThrow('not a sealed value');
  expect(sealer.open(sealed, place)).toBe('');
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

  test('seal and open, and are of full length', () => {
    const ring = keyRingInFolder(dataDir);
    const own = createSealer(ring);
    expect(own.open(own.seal('token', place), place)).toBe('token');
    expect(ring.newest().key.symmetricKeySize).toBe(32);
  });

  test('are left as they are by whoever only uses them, and read once', () => {
    keyRingInFolder(dataDir);
    const folder = join(dataDir, 'secrets');
    const before = statSync(folder).mtimeMs;
    const ring = keyRingInFolder(dataDir);
    expect(ring.newest().key).toBe(ring.newest().key);
    expect(statSync(folder).mtimeMs).toBe(before);
    expect(readdirSync(folder)).toEqual(['keys']);
  });

  test('that another process makes in the meantime count', () => {
    const folder = join(dataDir, 'secrets');
    mkdirSync(folder);
    // The name is taken, but there is nothing to read yet.
    symlinkSync(join(dataDir, 'elsewhere'), join(folder, 'keys'));
    const ring = keyRingInFolder(dataDir);
    expect(readdirSync(folder)).toEqual(['keys']);
    writeFileSync(join(dataDir, 'elsewhere'), `4:${second}\n`);
    expect(ring.newest().version).toBe(4);
  });

  test('a folder opened to others is closed again', () => {
    keyRingInFolder(dataDir);
    chmodSync(join(dataDir, 'secrets'), 0o755);
    addKeyInFolder(dataDir);
    expect(statSync(join(dataDir, 'secrets')).mode & 0o777).toBe(0o700);
  });

  test('a value sealed after a rotation elsewhere opens in a ring that is open already', () => {
    const open = keyRingInFolder(dataDir);
    open.newest();
    addKeyInFolder(dataDir);
    expect(open.get(2)?.symmetricKeySize).toBe(32);
    expect(open.get(3)).toBeUndefined();
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

  test('put back by hand they count whatever their last line ends with; cut off, or of somebody else, they are refused with what to do', () => {
    const file = join(dataDir, 'secrets', 'keys');
    mkdirSync(join(dataDir, 'secrets'));
    for (const end of ['', '\r\n']) {
      writeFileSync(file, `1:${second}${end}`);
      expect(addKeyInFolder(dataDir)).toBe(2);
      expect([1, 2].map((version) => keyRingInFolder(dataDir).get(version)?.symmetricKeySize)).toEqual([32, 32]);
    }
    for (const text of ['', `1:${second.slice(0, 20)}\n`, `x:${second}\n`]) {
      writeFileSync(file, text);
      expect(() => keyRingInFolder(dataDir).newest()).toThrow(`${file} holds no key, or not all of one. Put it back`);
    }
    const closed = () => {
      throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
    };
    expect(() => toldWhose(file, closed)).toThrow(`this user may not read ${file} (EACCES). Start Switchboard as`);
  });
});

describe('keys that are tried on what is stored', () => {
  const ringOf = (...versions: (readonly [number, number])[]) =>
    keyRingFromText(
      versions.map(([version, seed]) => `${version}:${Buffer.alloc(32, seed).toString('base64')}`).join(),
    );
  const places = ['a', 'b'].map((row) => ({ workspace: 'ws', table: 'accounts', row, column: 'credential' }));
  const sealedBy = (...rings: ReturnType<typeof ringOf>[]) =>
    places.map((where, at) => {
      const ring = rings[at] ?? rings[0];
      if (ring === undefined) throw new Error('no keys');
      return { ...where, sealed: createSealer(ring).seal('secret', where) };
    });

  test.each([
    ['the right one', ringOf([1, 1]), sealedBy(ringOf([1, 1])), 0, false],
    ['nothing stored', ringOf([1, 1]), [], 0, false],
    ['another one', ringOf([1, 9]), sealedBy(ringOf([1, 1])), 2, true],
    ['the new one without its number', ringOf([1, 2]), sealedBy(ringOf([2, 2])), 2, true],
    [
      'the old one while others already use the new',
      ringOf([1, 1]),
      sealedBy(ringOf([2, 2]), ringOf([1, 1])),
      1,
      false,
    ],
    ['a next one, because the old is lost', ringOf([2, 2]), sealedBy(ringOf([1, 1])), 2, false],
    ['a next one beside a wrong one', ringOf([2, 2], [1, 9]), sealedBy(ringOf([1, 1])), 2, false],
  ] as const)('%s', (_, ring, samples, closed, wrong) => {
    const tried = tryKeys(ring, samples);
    expect([tried.closed.length, tried.wrong]).toEqual([closed, wrong]);
  });
});
