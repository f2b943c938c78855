import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { meantEvent } from './event-reads.ts';

const id = 'AAkALg+/AAA=';
const event = { id, start: { dateTime: '2027-07-05T07:00:00' }, end: { dateTime: '2027-07-05T08:00:00' } };
/** What is asked of the service. */
const askedFor = async (given: string) => {
  const asked: string[] = [];
  const get = async (path: string) => {
    asked.push(path);
    return event;
  };
  await meantEvent({ upstream: { get } } as unknown as StepContext, undefined, given, undefined);
  return asked;
};

test.each([
  [id],
  ['https://outlook.office365.com/owa/?itemid=AAkALg%2B%2FAAA%3D&exvsurl=1&path=/calendar/item'],
  ['https://outlook.office365.com/owa/?ItemID=AAkALg+/AAA=&path=/calendar/item'],
  ['https://outlook.office.com/calendar/item/AAkALg%2B%2FAAA%3D'],
  ['https://outlook.office.com/calendar/item/AAkALg%2B%2FAAA%3D?view=1'],
])('an event is meant by %s', async (given) => {
  expect(await askedFor(given)).toEqual(['/me/events/AAkALg%2B%2FAAA%3D']);
});

test('an address of no event is refused before anything is asked', async () => {
  await expect(askedFor('https://outlook.office.com/calendar/view/week')).rejects.toThrow(/names no event/);
});
