import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../mailbox.ts';
import { sealToken } from '../odata/index.ts';
import { type Ask, idOf, inOrder, moment, office, valueOf } from './test-office.ts';

const first = '/me/calendarView/delta?startDateTime=2026-03-01&endDateTime=2026-04-01';
const event = (day: number, more: Json = {}) => {
  const date = new Date(Date.UTC(2026, 2, day)).toISOString().slice(0, 10);
  return { subject: `Day ${day}`, start: moment(`${date}T09:00`), end: moment(`${date}T10:00`), ...more };
};

/** Follows a round to its end. */
const round = async (ask: Ask, start: string, pageSize = 2): Promise<{ items: Json[]; next: string }> => {
  const items: Json[] = [];
  for (let url = start; ; ) {
    const reply = await ask('GET', url, { headers: { prefer: `odata.maxpagesize=${pageSize}` } });
    expect(reply.status).toBe(200);
    items.push(...valueOf(reply));
    const [next, delta] = [reply.body['@odata.nextLink'], reply.body['@odata.deltaLink']];
    expect((next === undefined) !== (delta === undefined)).toBe(true);
    if (typeof delta === 'string') return { items, next: delta };
    url = String(next);
  }
};

test('events delta: pages, then only what changed, with @removed for what is gone or left the window', async () => {
  const { ask } = office();
  const made: string[] = [];
  for (const day of [3, 4, 5]) made.push(idOf((await ask('POST', '/me/events', { body: event(day) })).body));
  const start = await round(ask, first);
  expect(start.items.map(({ subject }) => subject).toSorted(inOrder)).toEqual(['Day 3', 'Day 4', 'Day 5']);
  expect((await round(ask, start.next)).items).toEqual([]);
  await ask('PATCH', `/me/events/${made[0]}`, { body: { subject: 'New' } });
  await ask('DELETE', `/me/events/${made[1]}`);
  await ask('PATCH', `/me/events/${made[2]}`, { body: event(45) });
  const changes = (await round(ask, start.next)).items;
  expect(changes.find(({ id }) => id === made[0])).toMatchObject({ subject: 'New' });
  for (const id of made.slice(1))
    expect(changes.find((one) => one['id'] === id)).toEqual({
      '@odata.type': '#microsoft.graph.event',
      id,
      '@removed': { reason: 'deleted' },
    });
});

test('events delta takes none of the query options', async () => {
  const { ask } = office();
  for (const option of [
    '$select=subject',
    '$filter=isAllDay',
    '$orderby=subject',
    '$expand=attachments',
    '$search="x"',
  ]) {
    expect((await ask('GET', `${first}&${option}`)).status).toBe(400);
  }
  expect((await ask('GET', '/me/calendarView/delta')).body['code']).toBe('ErrorInvalidParameter');
});

test('a stale delta token is 410 SyncStateNotFound, one that never was is 400', async () => {
  const { ask, world } = office();
  await ask('POST', '/me/events', { body: event(3) });
  const { next } = await round(ask, first);
  const mailbox = world.mailboxOf('ada@sandbox.test');
  if (mailbox) mailbox.calendar.forgotten = 5;
  expect(await ask('GET', next)).toMatchObject({ status: 410, body: { code: 'SyncStateNotFound' } });
  expect((await ask('GET', '/me/calendarView/delta?$deltatoken=latest')).status).toBe(400);
  const forged = sealToken({ from: -1e15, to: 1e15, calendarId: 'x', since: 5, until: 5, after: '' });
  expect((await ask('GET', `/me/calendarView/delta?$deltatoken=${forged}`)).status).toBe(400);
});

test('whatever happens, following delta gives what calendarView shows', async () => {
  const step = fc.oneof(
    fc.record({ what: fc.constant('add' as const), day: fc.integer({ min: -5, max: 40 }), repeat: fc.boolean() }),
    fc.record({
      what: fc.constantFrom('move' as const, 'delete' as const, 'deleteOne' as const, 'moveOne' as const),
      at: fc.nat(20),
      day: fc.integer({ min: -5, max: 40 }),
    }),
    fc.record({ what: fc.constant('sync' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const { ask } = office();
      const known = new Map<unknown, unknown>();
      let link = first;
      const sync = async () => {
        const { items, next } = await round(ask, link, 3);
        for (const one of items) {
          if ('@removed' in one) known.delete(one['id']);
          else known.set(one['id'], one['changeKey']);
        }
        link = next;
      };
      const view = async () =>
        valueOf(await ask('GET', '/me/calendarView?startDateTime=2026-03-01&endDateTime=2026-04-01&$top=1000'));
      for (const one of steps) {
        if (one.what === 'sync') await sync();
        else if (one.what === 'add') {
          const date = new Date(Date.UTC(2026, 2, one.day)).toISOString().slice(0, 10);
          const recurrence = {
            pattern: { type: 'daily', interval: 3 },
            range: { type: 'numbered', startDate: date, numberOfOccurrences: 4 },
          };
          await ask('POST', '/me/events', { body: event(one.day, one.repeat ? { recurrence } : {}) });
        } else {
          const all = one.what.endsWith('One') ? await view() : valueOf(await ask('GET', '/me/events?$top=1000'));
          if (all.length === 0) continue;
          const id = idOf(all[one.at % all.length]);
          if (one.what.startsWith('delete')) await ask('DELETE', `/me/events/${id}`);
          else await ask('PATCH', `/me/events/${id}`, { body: event(one.day) });
        }
      }
      await sync();
      expect([...known].toSorted(inOrder)).toEqual(
        (await view()).map(({ id, changeKey }) => [id, changeKey]).toSorted(inOrder),
      );
    }),
    { numRuns: 60 },
  );
});
