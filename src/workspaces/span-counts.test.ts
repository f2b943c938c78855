import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { newId, type Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { createSpanCounts } from './span-counts.ts';
import { spanStarts } from './span-starts.ts';

const workspace = 'ws_counted';
const minute = 60_000;
const noon = Date.UTC(2026, 10, 16, 12, 20);
let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;
let now: Date;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into workspaces (workspace_id, name, created_at) values (${workspace}, 'Counted', now())`.execute(
    store.system,
  );
});
afterAll(() => opened[Symbol.asyncDispose]());
beforeEach(async () => {
  now = new Date(noon);
  await sql`delete from runs`.execute(store.system);
});

const ran = async (minutesAgo: number, status: string): Promise<string> => {
  const id = newId('run', new Date(noon - minutesAgo * minute));
  await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, attempts, created_at)
    values (${id}, ${workspace}, 'board.api_call', ${status}, '{}', '{}', true, 1, now())`.execute(store.system);
  return id;
};
const counting = () => createSpanCounts({ store, clock: { ...systemClock(), now: () => now } });
const days = (timeZone = 'UTC') => spanStarts({ now, days: 3, bucket: 'day', timeZone });

test.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati'])(
  'each is counted in the one span that it is in, as days are in %s',
  async (timeZone) => {
    const times = Array.from({ length: 400 }, (_, n) => (n * 7_919) % (4 * 24 * 60));
    for (const [n, minutesAgo] of times.entries()) await ran(minutesAgo, n % 3 === 0 ? 'failed' : 'succeeded');
    const starts = days(timeZone);
    const expected = starts.map((start, at) => {
      const next = starts[at + 1]?.getTime() ?? Number.POSITIVE_INFINITY;
      const within = (minutesAgo: number) => {
        const time = noon - minutesAgo * minute;
        return time >= start.getTime() && time < next;
      };
      const here = [...times.entries()].filter(([, minutesAgo]) => within(minutesAgo));
      const failed = here.filter(([n]) => n % 3 === 0).length;
      return { failed, succeeded: here.length - failed };
    });
    expect(expected.reduce((sum, { failed, succeeded }) => sum + failed + succeeded, 0)).toBeGreaterThan(200);
    const found = await counting().runs(workspace, starts);
    expect(found.map(({ failed = 0, succeeded = 0 }) => ({ failed, succeeded }))).toEqual(expected);
  },
);

test('hours that are over are read once in ten minutes, the one under way each time', async () => {
  const { runs } = counting();
  await ran(300, 'succeeded');
  await ran(5, 'succeeded');
  const sum = async () => (await runs(workspace, days())).reduce((all, { succeeded = 0 }) => all + succeeded, 0);
  expect(await sum()).toBe(2);
  await ran(310, 'succeeded');
  await ran(3, 'succeeded');
  expect(await sum()).toBe(3);
  now = new Date(noon + 11 * minute);
  expect(await sum()).toBe(4);
});

test('what still goes on is told as it is, however long ago it began', async () => {
  const { runs } = counting();
  const id = await ran(300, 'waiting_approval');
  expect((await runs(workspace, days())).at(-1)).toEqual({ waiting_approval: 1 });
  await sql`update runs set status = 'succeeded' where id = ${id}`.execute(store.system);
  expect((await runs(workspace, days())).at(-1)).toEqual({ succeeded: 1 });
});

test('one workspace is not told what another has', async () => {
  const { runs } = counting();
  await ran(300, 'succeeded');
  expect((await runs(workspace, days())).at(-1)).toEqual({ succeeded: 1 });
  expect((await runs('ws_other', days())).at(-1)).toEqual({});
});
