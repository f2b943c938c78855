import { expect, test } from 'vitest';
import { Fault, type FindContext, type Step, type StepContext } from '#kit';
import { cancelEvent } from './cancel-event.ts';
import { deleteEvent } from './delete-event.ts';
import { getEmail } from './get-email.ts';
import { listEvents } from './list-events.ts';
import { listFolders } from './list-folders.ts';
import { respondToEvent } from './respond-to-event.ts';
import { updateContact } from './update-contact.ts';

/** Runs a step against answers of the service, each by the end of its path. */
const run = (step: Step, input: object, answers: Record<string, unknown>) => {
  const get = async (path: string) => answers[Object.keys(answers).find((end) => path.endsWith(end)) ?? ''];
  const upstream = { get, patch: get };
  const context = { upstream, account: { scopes: [], identity: {} }, warn: () => {} } as unknown as StepContext;
  return step.run(step.input.parse(input), context);
};

const id = `AAkALgAA${'x'.repeat(60)}=`;

test('the preview of a mail is told where it is asked for, and not beside the body', async () => {
  const answers = {
    [id]: { id, bodyPreview: 'Hello', body: { contentType: 'text', content: 'Hello, Ada' } },
    attachments: { value: [] },
  };
  const escaped = Object.fromEntries(Object.entries(answers).map(([end, each]) => [encodeURIComponent(end), each]));
  expect(await run(getEmail, { messageId: id, fields: ['preview'] }, escaped)).toEqual({ id, preview: 'Hello' });
  expect(await run(getEmail, { messageId: id }, escaped)).not.toHaveProperty('preview');
});

test('a contact that was so already is not said to be changed', () => {
  const output = { displayName: 'Ben', changes: [] };
  expect(updateContact.summary(output)).toBe('The contact “Ben” was so already.');
});

test('folders that are not all there are said to be more', () => {
  const output = { items: [], truncated: true };
  expect(listFolders.summary(output)).toBe('Found no folders; more follow.');
});

test('a series is not told under the etag of an occurrence that differs from it', async () => {
  const at = { dateTime: '2027-07-05T07:00:00', timeZone: 'UTC' };
  const event = (type: string, seriesMasterId: string) => ({
    id: type,
    '@odata.etag': `W/"${type}"`,
    type,
    seriesMasterId,
    start: at,
    end: at,
  });
  const value = [event('exception', 'moved'), event('occurrence', 'plain')];
  const input = { start: '2027-07-05', end: '2027-07-06', timeZone: 'UTC', expandRecurring: false, fields: ['etag'] };
  expect(await run(listEvents, input, { calendarView: { value } })).toEqual({
    items: [{ id: 'moved' }, { id: 'plain', etag: 'W/"occurrence"' }],
    truncated: false,
  });
});

test('whether anybody was told of an event that a run finds gone as it goes on is not known', async () => {
  const get = async () => {
    throw new Fault('not_found', 'It is not in this mailbox.');
  };
  const before = (_: unknown, read: () => unknown) => read();
  const begun = [{ method: 'DELETE', path: `/me/events/${encodeURIComponent(id)}` }];
  const context = { upstream: { get, delete: async () => undefined }, before, begun } as unknown as StepContext;
  const output = await deleteEvent.run({ eventId: id }, context);
  expect(output).toEqual({ eventId: id, deleted: true });
  expect(deleteEvent.summary(output)).toBe('Deleted the event.');
});

test('somebody who is told by name alone is told', async () => {
  const from = { emailAddress: { name: 'Payroll', address: null } };
  const message = { id, from, toRecipients: [{ emailAddress: { name: 'Staff' } }, { emailAddress: {} }] };
  const answers = { [encodeURIComponent(id)]: message, attachments: { value: [] } };
  expect(await run(getEmail, { messageId: id, fields: ['from', 'to'] }, answers)).toEqual({
    id,
    from: { name: 'Payroll', address: '' },
    to: [{ name: 'Staff', address: '' }],
  });
});

test('a look at an event that cannot tell what happened does not say that nothing did', async () => {
  const find = (step: Step, input: object, get: () => Promise<unknown>) => {
    const request = { method: 'POST', path: '/me/events/e/accept' };
    const context = { upstream: { get }, request, since: new Date(), mark: String };
    return step.find?.(step.input.parse({ eventId: 'e', ...input }), context as unknown as FindContext);
  };
  const gone = () => Promise.reject(new Fault('not_found', 'It is gone.'));
  expect(await find(respondToEvent, { response: 'accept' }, gone)).toBe('unclear');
  expect(await find(respondToEvent, { response: 'decline' }, gone)).toMatchObject({ made: [{}] });
  for (const step of [deleteEvent, cancelEvent]) {
    expect(await find(step, {}, gone)).toMatchObject({ made: [{}] });
    await expect(find(step, {}, async () => ({ ok: true }))).rejects.toThrow();
  }
});
