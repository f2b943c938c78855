import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/database.ts';
import { holds, type Proof } from './row.ts';

/** A proof small enough for every run of the tests; each has a file of its own, so that several run at a time. */
export const provesInShort = (sentence: string, proof: Proof, scale = 0.2): void =>
  test(`${sentence} (short form)`, { timeout: 240_000 }, async () => {
    await using database = await freshDatabase();
    const said: string[] = [];
    const row = await proof.run({ scale, progress: (text) => said.push(text), database: database.connectionString });
    expect(row.tried).toBeGreaterThan(0);
    expect(row.objections ?? [], said.join('\n')).toEqual([]);
    expect({ ...row, holds: holds(row) }).toMatchObject({ lost: 0, duplicated: 0, holds: true });
  });
