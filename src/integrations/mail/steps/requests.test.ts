import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let ada: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  ada = await bench.connectMail();
});
afterAll(() => bench[Symbol.asyncDispose]());

type Shape = {
  properties?: Record<string, unknown>;
  allOf?: { $ref?: string; properties?: Record<string, unknown> }[];
};
const file = new URL('../../../../sandbox/mail/contract/answers.openapi.json', import.meta.url);
const contract = JSON.parse(readFileSync(file, 'utf8')) as { components: { schemas: Record<string, Shape> } };
const { schemas } = contract.components;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(contract, 'contract');

const propertiesOf = (name: string): string[] => {
  const shape = schemas[name] ?? {};
  const inherited = (shape.allOf ?? []).flatMap(({ $ref, properties }) => [
    ...Object.keys(properties ?? {}),
    ...($ref === undefined ? [] : propertiesOf($ref.slice($ref.lastIndexOf('/') + 1))),
  ]);
  return [...Object.keys(shape.properties ?? {}), ...inherited];
};

/** What the description of the service has against a body. */
const problemsOf = (body: Record<string, unknown>, type: string): unknown[] => {
  const known = propertiesOf(type);
  const named = { ...body, '@odata.type': `#${type}` };
  const validate = ajv.compile({ $ref: `contract#/components/schemas/${type}` });
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  return [...unknown, ...(validate(named) ? [] : (validate.errors ?? []))];
};

const rehearsed = async (step: string, input: object) => {
  const given = { accountId: ada, input, dryRun: true };
  return (await bench.owned('POST', `/v1/steps/mail.${step}/run`, given)).body.request;
};

const times = { start: '2027-07-01T09:00', end: '2027-07-01T10:00', timeZone: 'Europe/Vienna' };
const details = {
  body: 'Agenda',
  location: 'Attic',
  attendees: [{ address: 'ben@sandbox.test', name: 'Ben', type: 'optional' }],
  recurrence: 'FREQ=MONTHLY;BYDAY=1MO;COUNT=3',
  showAs: 'oof',
  sensitivity: 'confidential',
  importance: 'low',
  reminderMinutes: 10,
  categories: ['Red category'],
  isOnlineMeeting: true,
  responseRequested: false,
  allowNewTimeProposals: false,
  hideAttendees: true,
};

test('events are sent as the description of the service has them', async () => {
  const made = await rehearsed('create_event', { subject: 'Whole', ...times, ...details });
  expect(made.path).toBe('/me/events');
  expect(problemsOf(made.body, 'microsoft.graph.event')).toEqual([]);
  expect(made.body.start).toEqual({ dateTime: '2027-07-01T09:00:00', timeZone: 'W. Europe Standard Time' });

  const { id } = await bench.run('mail.create_event', { subject: 'There', ...times }, 'autopilot');
  const cleared = { subject: null, body: null, location: null, attendees: null, recurrence: null, categories: null };
  const usual = { showAs: null, sensitivity: null, importance: null, reminderMinutes: null };
  for (const change of [
    { ...details, ...times },
    { ...cleared, ...usual },
  ]) {
    const { body } = await rehearsed('update_event', { eventId: id, ...change });
    expect(problemsOf(body, 'microsoft.graph.event')).toEqual([]);
  }
});

test('contacts are sent as the description of the service has them', async () => {
  const contact = {
    givenName: 'Vera',
    surname: 'Valid',
    nickName: 'V',
    emails: ['vera@valid.test'],
    businessPhones: ['1'],
    mobilePhone: '2',
    homePhones: ['3'],
    companyName: 'Valid',
    jobTitle: 'Checker',
    department: 'Checks',
    businessAddress: { street: 'A', city: 'B', state: 'C', postalCode: 'D', countryOrRegion: 'E' },
    birthday: '1990-01-02',
    notes: 'N',
    categories: ['Red category'],
  };
  const made = await rehearsed('create_contact', contact);
  expect(problemsOf(made.body, 'microsoft.graph.contact')).toEqual([]);

  const { id } = await bench.run('mail.create_contact', { surname: 'There' });
  const cleared = Object.fromEntries(Object.keys(contact).map((name) => [name, null]));
  const { body } = await rehearsed('update_contact', { contactId: id, ...cleared });
  expect(problemsOf(body, 'microsoft.graph.contact')).toEqual([]);
});

test('drop-downs offer calendars and contact folders', async () => {
  const labels = async (picker: string) => {
    const { body } = await bench.owned('GET', `/v1/options/${picker}?accountId=${ada}`);
    return body.items.map(({ label }: { label: string }) => label);
  };
  expect(await labels('calendars')).toEqual(['Calendar', 'Birthdays']);
  expect(await labels('contactFolders')).toEqual(['Contacts', 'Suppliers']);
});
