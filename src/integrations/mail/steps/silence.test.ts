import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { updateEvent } from './update-event.ts';

const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const ben = { emailAddress: { address: 'ben@example.com', name: 'Ben' }, type: 'required' };
const meeting = {
  id: 'event-1',
  subject: 'Planning',
  isOrganizer: true,
  attendees: [ben],
  start: at('2027-07-05T07:00:00'),
  end: at('2027-07-05T08:00:00'),
};

/** What is sent for a change of which nobody is to be told. */
const sent = async (change: object, now: object = {}) => {
  const bodies: unknown[] = [];
  const get = async (path: string) => (path.includes('/events/') ? { ...meeting, ...now } : { value: 'UTC' });
  const patch = async (_: string, { body }: { body: unknown }) => void bodies.push(body);
  const before = (_: unknown, read: () => unknown) => read();
  const context = { upstream: { get, patch }, before, account: { scopes: [], identity: {} }, warn: () => {} };
  const input = { eventId: 'event-1', sendInvites: false, ...change };
  await updateEvent.run(updateEvent.input.parse(input), context as unknown as StepContext);
  return bodies;
};

test.each([[{ subject: 'Review' }], [{ attendees: null }], [{ attendees: [] }], [{ body: 'Bring the numbers' }]])(
  'a change that everybody invited is mailed about is refused where nobody is to be: %j',
  async (change) => {
    await expect(sent(change)).rejects.toThrow(/sendInvites/);
  },
);

test('a change that nobody hears of is made', async () => {
  expect(await sent({ categories: ['Red'], reminderMinutes: 5 })).toEqual([
    { categories: ['Red'], isReminderOn: true, reminderMinutesBeforeStart: 5 },
  ]);
  expect(await sent({ subject: 'Review' }, { attendees: [] })).toEqual([{ subject: 'Review' }]);
  expect(await sent({ subject: 'Review' }, { isOrganizer: false })).toEqual([{ subject: 'Review' }]);
});
