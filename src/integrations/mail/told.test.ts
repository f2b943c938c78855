import { expect, test } from 'vitest';
import { contactSelect, WireContact } from './contact-shapes.ts';
import { showEvent, WireEvent } from './event-shapes.ts';
import { readFault } from './faults.ts';
import { WireHeaders } from './message-headers.ts';
import { summaryOf, WireMessage } from './shapes.ts';
import { toldLink } from './told.ts';
import { utcZone, zoneNamed } from './zones.ts';

const at = { dateTime: '2027-07-01T09:00:00.0000000', timeZone: null };

test('an event that tells null wherever the service may is an event', () => {
  const names = [
    'subject',
    'bodyPreview',
    'isAllDay',
    'isCancelled',
    'isOrganizer',
    'type',
    'seriesMasterId',
    'showAs',
  ];
  const told = Object.fromEntries(names.map((name) => [name, null]));
  const event = WireEvent.parse({ ...told, id: '1', start: at, end: at, body: { contentType: null, content: null } });

  expect(showEvent(event, utcZone)).toMatchObject({
    isAllDay: false,
    isRecurring: false,
    start: { utc: '2027-07-01T09:00:00Z' },
  });
});

test('a mail of the first of all days was never received', () => {
  const message = WireMessage.parse({ id: '1', receivedDateTime: '0001-01-01T00:00:00Z' });
  expect(summaryOf(message, zoneNamed('Asia/Kolkata')).receivedAt).toBeUndefined();
});

test('lists of texts, headers, refusals, bodies of mails and last pages may hold null', () => {
  const empty = Object.fromEntries(contactSelect.split(',').map((name) => [name, null]));
  const phones = [null, '+49 30 1234'];
  const contact = WireContact.parse({ ...empty, id: '1', emailAddresses: [], businessPhones: phones });

  expect(contact).toMatchObject({ businessPhones: ['+49 30 1234'], homePhones: [] });
  expect(WireMessage.shape.body.parse({ contentType: null, content: null })).toEqual({
    contentType: null,
    content: null,
  });
  expect(toldLink.parse(null)).toBeUndefined();
  expect(WireHeaders.parse([{ name: null, value: null }])).toEqual([{ name: '', value: null }]);
  const error = { code: 'ErrorItemNotFound', message: null, innerError: null };
  expect(readFault({ status: 404, headers: {}, body: { error } }).message).toContain('look for it again');
});
