import type { Schema } from '../../../forms/schema.ts';
import { pathsOf, type Variable } from '../../../forms/variables.ts';
import type { TriggerType } from '../trigger-types.ts';

const envelope = 'About every event';
const always: readonly Variable[] = [
  { path: 'event.summary', label: 'event.summary', group: envelope, hint: 'What happened, in one line.' },
  { path: 'event.type', label: 'event.type', group: envelope, hint: 'The kind of event.' },
  { path: 'event.occurredAt', label: 'event.occurredAt', group: envelope, hint: 'When it happened.' },
  { path: 'event.eventId', label: 'event.eventId', group: envelope, hint: 'The same when it is told twice.' },
];

/** What an event of these kinds brings, to be put into the inputs of a tool. */
export const eventVariables = (types: readonly TriggerType[]): Variable[] => {
  const told = types.flatMap(({ event, title }) => pathsOf(event as Schema, 'event.data', title));
  const unique = told.filter(({ path }, at) => told.findIndex((each) => each.path === path) === at);
  return [...unique, ...always];
};
