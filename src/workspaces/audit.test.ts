import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, type Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { type Audit, type AuditFilter, createAudit } from './audit.ts';

const workspace = 'ws_audited';
const begun = Date.UTC(2026, 10, 1);
const minute = 60_000;
const records = Array.from({ length: 95 }, (_, n) => ({
  id: newId('aud', new Date(begun + n * minute)),
  at: new Date(begun + n * minute),
  effect: n % 31 === 0 ? 'send' : 'write',
  accountId: n === 3 ? 'acc_rare' : 'acc_usual',
  // A reason that was cut within a character keeps none from being found.
  ...(n === 40 ? { reason: 'refused \ud83d' } : {}),
}));
let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into workspaces (workspace_id, name, created_at) values (${workspace}, 'Audited', now())`.execute(
    store.system,
  );
  for (const { id, at, ...details } of records)
    await sql`insert into audit (id, workspace_id, at, actor, action, details)
      values (${id}, ${workspace}, ${at}, '{}', 'effect.sent', ${JSON.stringify(details)})`.execute(store.system);
});
afterAll(() => opened[Symbol.asyncDispose]());

/** All pages of a list, one after the other. */
const pagesOf = async (audit: Audit, filter: AuditFilter, limit: number): Promise<string[][]> => {
  const pages: string[][] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await audit.list(workspace, { limit, ...(cursor === '' ? {} : { cursor }) }, filter);
    pages.push(page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return pages;
};

const newestFirst = (wanted: (record: (typeof records)[number]) => boolean): string[] =>
  records
    .filter(wanted)
    .map(({ id }) => id)
    .toReversed();

describe.each([
  { name: 'in one go', stretch: 1_000, patienceMs: 60_000 },
  { name: 'in stretches', stretch: 10, patienceMs: 60_000 },
  { name: 'in stretches that do not end on a page', stretch: 7, patienceMs: 60_000 },
  { name: 'in stretches, one for each page', stretch: 10, patienceMs: 0 },
])('records that are looked through $name', ({ stretch, patienceMs }) => {
  test.each([
    ['all', {}, () => true],
    ['by a rare effect', { effect: 'send' as const }, ({ effect }: { effect: string }) => effect === 'send'],
    ['by a common one', { effect: 'write' as const }, ({ effect }: { effect: string }) => effect === 'write'],
    ['by an account', { accountId: 'acc_rare' }, ({ accountId }: { accountId: string }) => accountId === 'acc_rare'],
    ['by one that there is not', { accountId: 'acc_none' }, () => false],
    ['since before there were ids', { from: new Date('0001-01-01T00:00:00Z') }, () => true],
    ['until then', { to: new Date('1960-01-01T00:00:00Z') }, () => false],
    [
      'by time and effect',
      { effect: 'send' as const, from: new Date(begun + 31 * minute), to: new Date(begun + 93 * minute) },
      ({ at, effect }: { at: Date; effect: string }) =>
        effect === 'send' && at.getTime() >= begun + 31 * minute && at.getTime() < begun + 93 * minute,
    ],
  ])('are all found, once each: %s', async (_, filter, wanted) => {
    for (const limit of [1, 2, 10, 100]) {
      const pages = await pagesOf(createAudit(store, { stretch, patienceMs }), filter, limit);
      expect(pages.flat()).toEqual(newestFirst(wanted));
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
    }
  });
});

test('a search that takes long answers with what it has so far, and where to go on', async () => {
  const audit = createAudit(store, { stretch: 10, patienceMs: 0 });
  const pages = await pagesOf(audit, { accountId: 'acc_rare' }, 5);
  expect(pages.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
});
