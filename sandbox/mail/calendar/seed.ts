import type { EmailAddress, Json, Mailbox } from '../mailbox.ts';
import type { World } from '../world.ts';
import { addCalendar, defaultCalendar } from './calendars.ts';
import { readEvent } from './read-event.ts';
import { changeEvent, copyOf } from './store.ts';
import { createEvent } from './write-event.ts';
import { customZone } from './zones.ts';

const dayMs = 86_400_000;

type Plan = {
  subject: string;
  /** Days after this week's Monday. */
  day: number;
  from: string;
  to: string;
  more?: Json;
};

/** The Monday of the week that the world is in. */
const monday = (now: number): number => {
  const day = Math.floor(now / dayMs);
  return day - ((day + 3) % 7);
};
const dateOn = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

const invite = (...people: EmailAddress[]): Json => ({
  attendees: people.map((emailAddress) => ({ emailAddress, type: 'required' })),
});
const text = (content: string): Json => ({ body: { contentType: 'html', content: `<p>${content}</p>` } });
const weekly = (startDate: string, ...daysOfWeek: string[]): Json => ({
  recurrence: {
    pattern: { type: 'weekly', interval: 1, daysOfWeek, firstDayOfWeek: 'monday' },
    range: { type: 'noEnd', startDate },
  },
});

const place = (world: World, mailbox: Mailbox, first: number, { subject, day, from, to, more = {} }: Plan): void => {
  const timeZone = mailbox.settings.timeZone || 'UTC';
  const [start, end] = [from, to].map((time, at) => {
    const [clock = '', later = '0'] = time.split('+');
    const date = dateOn(first + day + (at === 1 ? Number(later) : 0));
    return { dateTime: `${date}T${clock}:00`, timeZone };
  });
  const event = readEvent({ subject, start, end, ...more });
  createEvent(world, mailbox, undefined, event, { silent: true });
};

/** Everybody invited said yes. */
const acceptAll = (world: World, mailbox: Mailbox): void => {
  const time = `${new Date(world.now()).toISOString().slice(0, 19)}Z`;
  const status = { response: 'accepted', time } as const;
  for (const event of mailbox.calendar.events.values()) {
    if (!event.isOrganizer) continue;
    for (const attendee of event.attendees) {
      const theirs = world.mailboxOf(attendee.emailAddress.address);
      const copy = theirs && copyOf(theirs, event.iCalUId);
      if (theirs === undefined || copy === undefined) continue;
      attendee.status = status;
      changeEvent(world, theirs, copy, (target) => Object.assign(target, { responseStatus: status, showAs: 'busy' }));
    }
  }
};

/** Weeks that make sense to look at: stand-ups, a launch, holidays, a dentist. */
export const seedCalendar = (world: World): void => {
  const first = monday(world.now());
  const boxes = ['ada', 'ben', 'cy'].map((name) => world.mailboxOf(`${name}@sandbox.test`));
  const [ada, ben, cy] = boxes;
  const address = (mailbox: Mailbox | undefined): EmailAddress => {
    const person = world.people.get(mailbox?.owner ?? '');
    return { name: person?.displayName ?? '', address: person?.address ?? '' };
  };
  for (const box of boxes) if (box) defaultCalendar(box);
  if (ada && ben) {
    const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
    const plans: Plan[] = [
      {
        subject: 'Team stand-up',
        day: 0,
        from: '09:15',
        to: '09:30',
        more: { ...weekly(dateOn(first), ...weekdays), ...invite(address(ben)) },
      },
      {
        subject: 'Launch planning',
        day: 1,
        from: '14:00',
        to: '15:00',
        more: {
          ...invite(address(ben)),
          ...text('Dates, owners, risks.'),
          isOnlineMeeting: true,
          location: { displayName: 'Maple room' },
        },
      },
      {
        subject: 'Dentist',
        day: 2,
        from: '11:00',
        to: '12:00',
        more: { sensitivity: 'private', location: { displayName: '12 High Street' } },
      },
      {
        subject: 'Focus time',
        day: 3,
        from: '13:00',
        to: '16:00',
        more: { showAs: 'busy', categories: ['Blue category'] },
      },
      { subject: 'Company holiday', day: 11, from: '00:00', to: '00:00+1', more: { isAllDay: true, showAs: 'oof' } },
      {
        subject: 'Monthly review',
        day: 4,
        from: '10:00',
        to: '11:30',
        more: {
          recurrence: {
            pattern: { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' },
            range: { type: 'numbered', startDate: dateOn(first), numberOfOccurrences: 12 },
          },
        },
      },
    ];
    for (const plan of plans) place(world, ada, first, plan);
    addCalendar(ada, 'Birthdays', 'lightTeal');
    place(world, ben, first, {
      subject: 'Ben and Ada',
      day: 3,
      from: '10:00',
      to: '10:30',
      more: { ...weekly(dateOn(first), 'thursday'), ...invite(address(ada)) },
    });
    place(world, ben, first, { subject: 'Design critique', day: 1, from: '16:00', to: '17:00' });
    place(world, ben, first, {
      subject: 'Vacation',
      day: 14,
      from: '00:00',
      to: '00:00+5',
      more: { isAllDay: true, showAs: 'oof' },
    });
    acceptAll(world, ada);
    acceptAll(world, ben);
  }
  if (cy) {
    place(world, cy, first, {
      subject: 'Yoga',
      day: 1,
      from: '18:30',
      to: '19:30',
      more: weekly(dateOn(first), 'tuesday'),
    });
    place(world, cy, first, { subject: 'Plumber', day: 2, from: '08:00', to: '09:00' });
    place(world, cy, first, {
      subject: 'Parents visiting',
      day: 5,
      from: '00:00',
      to: '00:00+2',
      more: { isAllDay: true },
    });
    const imported = createEvent(
      world,
      cy,
      undefined,
      readEvent({
        subject: 'Book club',
        start: { dateTime: `${dateOn(first + 3)}T19:00:00`, timeZone: 'UTC' },
        end: { dateTime: `${dateOn(first + 3)}T21:00:00`, timeZone: 'UTC' },
      }),
    ).event;
    // It came as a file from another calendar, with a zone of its own.
    Object.assign(imported, {
      start: { ...imported.start, zone: customZone },
      end: { ...imported.end, zone: customZone },
    });
  }
};
