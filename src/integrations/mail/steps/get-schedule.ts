import { z } from 'zod';
import { defineStep, listed } from '#kit';
import { AddressText, addressIn } from '../addressee.ts';
import { zonesOf } from '../calendars.ts';
import { zoneOfHours } from '../custom-zone.ts';
import { gaps, type Interval } from '../intervals.ts';
import { isFree, schedulesOf, selfOf } from '../schedules.ts';
import { Mailbox } from '../shapes.ts';
import { readTime, showTime, Time, TimeInput, ZoneInput } from '../times.ts';

const Slot = z.object({ start: Time, end: Time });

export const getSchedule = defineStep({
  name: 'get_schedule',
  title: 'Get Free/Busy Schedule',
  group: 'Calendar',
  purpose: 'Retrieve when people are free and busy.',
  effect: 'read',
  scopes: [['Calendars.ReadBasic', 'Calendars.Read', 'Calendars.ReadWrite']],
  input: z.object({
    schedules: z
      .array(AddressText(500))
      .min(1)
      .max(20)
      .optional()
      .describe('Addresses of up to 20 people; yourself if left out.'),
    start: TimeInput,
    end: TimeInput.describe('End of the time to look at, written like the start; less than 62 days later.'),
    timeZone: ZoneInput,
    availabilityViewInterval: z
      .int()
      .min(5)
      .max(1440)
      .default(30)
      .describe('Minutes per character of availabilityView.'),
    mailbox: Mailbox,
  }),
  output: z.object({
    items: z.array(
      z.object({
        person: z.string(),
        busy: z.array(Slot.extend({ status: z.string(), subject: z.string().optional() })),
        free: z.array(Slot),
        availabilityView: z.string().optional().describe('Per slot: 0 free, 1 tentative, 2 busy, 3 out of office.'),
        workingHours: z
          .object({
            daysOfWeek: z.array(z.string()),
            startTime: z.string(),
            endTime: z.string(),
            timeZone: z.string().optional(),
          })
          .optional(),
        error: z.string().optional().describe('Why this person could not be looked at.'),
      }),
    ),
  }),
  summary: ({ items }) => {
    const read = listed(items.filter(({ error }) => error === undefined).map(({ person }) => person));
    const missed = listed(items.filter(({ error }) => error !== undefined).map(({ person }) => person));
    if (missed === '') return `Read the schedules of ${read}.`;
    return read === '' ? `Could not look at ${missed}.` : `Read the schedules of ${read}; could not look at ${missed}.`;
  },
  run: async (input, context) => {
    const zones = await zonesOf(context, input.timeZone, [input.start, input.end]);
    const span: Interval = {
      start: readTime('start', input.start, zones).instant,
      end: readTime('end', input.end, zones).instant,
    };
    const people = input.schedules?.map(addressIn) ?? [selfOf(context, input.mailbox)];
    const interval = input.availabilityViewInterval;
    const all = await schedulesOf(context, { people, mailbox: input.mailbox, span, interval, zone: zones.home });
    const slot = ({ start, end }: Interval) => ({ start: showTime(start, zones.home), end: showTime(end, zones.home) });
    const year = new Date(span.start).getUTCFullYear();
    const items = all.map(({ person, busy, hours, availabilityView, error }) => {
      const taken = busy.filter((one) => !isFree(one));
      return {
        person,
        busy: taken.map((one) => ({ ...slot(one), status: one.status, subject: one.subject })),
        // Nothing is known of somebody who could not be looked at, so nothing is called free.
        free: error === undefined ? gaps(span, taken).map(slot) : [],
        availabilityView,
        workingHours: hours && {
          daysOfWeek: hours.daysOfWeek,
          startTime: hours.startTime.slice(0, 5),
          endTime: hours.endTime.slice(0, 5),
          timeZone: zoneOfHours(hours.timeZone, year)?.name ?? hours.timeZone?.name,
        },
        error,
      };
    });
    return { items };
  },
});
