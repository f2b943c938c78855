import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Catalogue, type Integration, servicesOf, type Trigger, tellMisfits, wrongFields } from '#kit';
import { integrations } from '../src/integrations/index.ts';

const catalogue = new Catalogue(integrations);
const triggers = integrations.flatMap(({ name, triggers: all }) =>
  all.map((each) => [`${name}.${each.name}`, each] as const),
);

/** The fields of an object schema that say nothing about themselves. */
const undescribed = (schema: z.ZodObject): string[] =>
  Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([, field]) => {
      const inner = 'unwrap' in field && typeof field.unwrap === 'function' ? (field.unwrap() as z.ZodType) : field;
      return (field.description ?? inner.description ?? '') === '';
    })
    .map(([name]) => name);

const naming =
  /Id$|^id[A-Z]|^(?:mailbox|folder|parent|calendar|inReplyTo|workspace|board|list|card|member|labels?|category)$/;

describe.each(catalogue.steps.map((step) => [step.id, step] as const))('%s', (_, step) => {
  test('has a name, a title, a group and a purpose that fit the screen', () => {
    expect(step.name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    for (const text of [step.title, step.group, step.purpose]) expect(text.length).toBeGreaterThan(2);
    expect(step.purpose).toMatch(/\.$/);
  });

  test('describes each field of its input, and refuses blanks where one names something', () => {
    expect(undescribed(step.input)).toEqual([]);
    const takesBlank = Object.entries<z.ZodType>(step.input.shape).filter(([, field]) =>
      [' ', [' ']].some((blank) => field.safeParse(blank).success),
    );
    expect(takesBlank.map(([name]) => name).filter((name) => naming.test(name))).toEqual([]);
  });

  test('converts to JSON Schema for forms and models', () => {
    expect(z.toJSONSchema(step.input, { io: 'input' })).toMatchObject({ type: 'object' });
    expect(z.toJSONSchema(step.output, { io: 'output', unrepresentable: 'any' })).toMatchObject({ type: 'object' });
  });
});

describe.each(triggers)('%s', (_, trigger: Trigger) => {
  test('describes each field of its configuration', () => {
    expect(undescribed(trigger.config)).toEqual([]);
  });

  test('converts to JSON Schema for forms and models', () => {
    expect(z.toJSONSchema(trigger.config, { io: 'input' })).toMatchObject({ type: 'object' });
    expect(z.toJSONSchema(trigger.event, { io: 'output', unrepresentable: 'any' })).toMatchObject({ type: 'object' });
  });

  test('makes an event of its sample', () => {
    if (trigger.kind === 'poll') return expect(trigger.event.safeParse(trigger.sample).success).toBe(true);
    const delivery = trigger.delivery.parse(trigger.sample);
    const account = { id: 'acc_1', identity: { id: 'nobody', name: 'Nobody' }, scopes: [] };
    const context = { account, since: new Date(0), now: new Date() };
    expect(trigger.judge(delivery, trigger.config.parse({}), context)).toEqual({ outcome: 'fired' });
    return expect(trigger.event.safeParse(trigger.toEvent(delivery, trigger.config.parse({}))).success).toBe(true);
  });
});

test('no two steps and no two triggers share an id', () => {
  const ids = [...catalogue.steps.map(({ id }) => id), ...triggers.map(([id]) => id)];
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['mail', 'Email', 'Find Email, List Folders, List Labels, Add Label, Remove Label, Move Email to Folder, Send Email'],
  ['mail', 'Calendar', 'Check Availability, Create Event, Delete Event, List Events, Update Event'],
  ['mail', 'Calendar', 'Get Free/Busy Schedule'],
  ['mail', 'Contacts', 'Create Contact, Find Contact, List Contacts, Update Contact'],
  ['mail', 'Advanced', 'Mail API Call'],
  ['board', 'Cards', 'Create Card, Update Card, Get Card, Archive Card'],
  ['board', 'Boards/Lists', 'Get Boards, Get List Cards, Create List'],
  ['board', 'Comments', 'Add Comment to Card, Add Comment'],
  ['board', 'Checklists', 'Add Checklist, Create a Checklist Item'],
  ['board', 'Advanced', 'Board API Call'],
])('the steps that were promised for %s stand under %s by the names they were given', (name, group, titles) => {
  const steps = catalogue.steps.filter((step) => step.integration.name === name && step.group === group);
  expect(steps.map(({ title }) => title)).toEqual(expect.arrayContaining(titles.split(', ')));
});

test("the search bar lists all of an integration's steps when its name is typed", () => {
  for (const { name, steps } of integrations) {
    expect(catalogue.search(name).map(({ id }) => id)).toEqual(steps.map((step) => `${name}.${step.name}`));
  }
});

test('the search bar finds a step by words from its title and purpose in any order', () => {
  expect(catalogue.search('card CREATE').map(({ id }) => id)).toEqual(['board.create_card']);
  expect(catalogue.search('create nonsense')).toEqual([]);
});

const odd: unknown[] = [undefined, null, 5, -1, 1.5, '', 'x', true, [], ['x'], [null], [{}], {}, { x: 1 }, 1e9];

test('no step and no trigger refuses anything in the words of a library', () => {
  tellMisfits();
  const schemas = [...catalogue.steps.map(({ input }) => input), ...triggers.map(([, { config }]) => config)];
  const told = schemas.flatMap((schema) =>
    odd.flatMap((value) => {
      const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, value]));
      return wrongFields(schema.safeParse(given).error?.issues ?? []);
    }),
  );
  expect(told.length).toBeGreaterThan(1_000);
  expect(told.filter(({ message }) => /\b(?:Invalid|Too|expected|received|Unrecognized)\b/.test(message))).toEqual([]);
});

test('an integration says itself where its service is, unless the operator does', () => {
  const [own, chosen] = ['https://notes.example', 'https://notes.test'].map((at) => ({ apiBase: new URL(at) }));
  const [notes, mute] = [{ name: 'notes', service: own }, { name: 'notes' }] as [Integration, Integration];
  expect(servicesOf([notes], {})).toEqual({ notes: own });
  expect(servicesOf([notes], { notes: chosen as { apiBase: URL } })).toEqual({ notes: chosen });
  expect(() => servicesOf([mute], {})).toThrow('nothing says where the service of notes is');
});
