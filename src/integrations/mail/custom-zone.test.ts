import { expect, test } from 'vitest';
import { HoursZone } from './custom-zone.ts';
import { workingTimes } from './schedules.ts';

// As the service tells it in its own example of getSchedule.
const pacific = {
  '@odata.type': '#microsoft.graph.customTimeZone',
  bias: 480,
  name: 'Customized Time Zone',
  standardOffset: { time: '02:00:00.0000000', dayOccurrence: 1, dayOfWeek: 'sunday', month: 11, year: 0 },
  daylightOffset: {
    daylightBias: -60,
    time: '02:00:00.0000000',
    dayOccurrence: 2,
    dayOfWeek: 'sunday',
    month: 3,
    year: 0,
  },
};
const berlin = {
  ...pacific,
  bias: -60,
  standardOffset: { ...pacific.standardOffset, time: '03:00:00.0000000', dayOccurrence: 5, month: 10 },
  daylightOffset: { ...pacific.daylightOffset, dayOccurrence: 5 },
};
const unchanging = { month: 0, time: '00:00:00', dayOccurrence: 0, dayOfWeek: 'sunday' };

const beginsOn = (day: string, timeZone: object): string[] | undefined => {
  const hours = { daysOfWeek: ['monday'], startTime: '08:00:00', endTime: '17:00:00' };
  const start = Date.parse(`${day}T00:00:00Z`);
  return workingTimes({ ...hours, timeZone: HoursZone.parse(timeZone) }, { start, end: start + 86_400_000 })
    ?.map((each) => new Date(each.start).toISOString().slice(0, 16))
    .filter((at) => at.startsWith(day));
};

test('working hours in a zone that is told by its rules are those of its clocks, in summer and in winter', () => {
  expect(beginsOn('2027-11-01', pacific)).toEqual(['2027-11-01T15:00']);
  expect(beginsOn('2027-11-08', pacific)).toEqual(['2027-11-08T16:00']);
  expect(beginsOn('2027-10-25', berlin)).toEqual(['2027-10-25T06:00']);
  expect(beginsOn('2027-11-01', berlin)).toEqual(['2027-11-01T07:00']);
  const india = { name: 'Customized Time Zone', bias: -330, standardOffset: unchanging };
  expect(beginsOn('2027-11-01', india)).toEqual(['2027-11-01T02:30']);
  // Clocks in Morocco are as far ahead all year but for Ramadan.
  expect(beginsOn('2027-02-15', { ...india, bias: -60 })).toEqual(['2027-02-15T07:00']);
});

test('rules that no clocks go by, and names without rules, are no zone', () => {
  expect(beginsOn('2027-11-01', { ...berlin, bias: -61 })).toBeUndefined();
  expect(
    beginsOn('2027-11-01', { ...berlin, daylightOffset: { ...pacific.daylightOffset, month: 5 } }),
  ).toBeUndefined();
  expect(beginsOn('2027-11-01', { name: 'Customized Time Zone' })).toBeUndefined();
});
