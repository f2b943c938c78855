import { expect, test } from 'vitest';
import { eventChanges } from './event-changes.ts';
import { WireEvent } from './event-shapes.ts';
import { utcZone } from './zones.ts';

const event = {
  id: 'event-1',
  '@odata.etag': 'W/"1"',
  subject: 'Planning',
  body: { contentType: 'html', content: `<p>${'a'.repeat(5_100)}</p>` },
  start: { dateTime: '2027-07-05T07:00:00.0000000', timeZone: 'UTC' },
  end: { dateTime: '2027-07-05T08:00:00.0000000', timeZone: 'UTC' },
  responseRequested: true,
  allowNewTimeProposals: true,
  hideAttendees: false,
  isReminderOn: true,
  reminderMinutesBeforeStart: 15,
};
const changes = (now: object, rewritten = false) =>
  eventChanges(WireEvent.parse(event), WireEvent.parse({ ...event, '@odata.etag': 'W/"2"', ...now }), {
    zone: utcZone,
    rewritten,
  });
const html = (content: string) => ({ body: { contentType: 'html', content } });

test.each([
  [{}, []],
  [{ responseRequested: false }, [{ field: 'responseRequested', from: true, to: false }]],
  [{ allowNewTimeProposals: false }, [{ field: 'allowNewTimeProposals', from: true, to: false }]],
  [{ hideAttendees: true }, [{ field: 'hideAttendees', from: false, to: true }]],
  [{ isReminderOn: false }, [{ field: 'reminderMinutes', from: 15, to: null }]],
])('what changed is told: %j', (now, told) => expect(changes(now)).toEqual(told));

test('a change of the body is told, however far down it stands', () => {
  const before = `…${'a'.repeat(40)}`;
  const longer = html(`<p>${'a'.repeat(5_100)}, and more</p>`);
  expect(changes(longer)).toEqual([{ field: 'body', from: before, to: `${before}, and more` }]);
});

test('a body that only looks different is told as changed where it was written, and not where the service did it', () => {
  const bold = html(`<p><b>${'a'.repeat(5_100)}</b></p>`);
  expect(changes(bold)).toEqual([]);
  expect(changes(bold, true)).toEqual([
    { field: 'body', from: `<p>${'a'.repeat(497)}…`, to: `<p><b>${'a'.repeat(494)}…` },
  ]);
});
