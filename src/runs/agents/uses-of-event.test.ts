import { expect, test } from 'vitest';
import type { AgentDefinition } from './definition.ts';
import { usesOfEvent } from './uses-of-event.ts';

const tool = (text: string): Pick<AgentDefinition, 'runner'> => ({
  runner: { type: 'tool', toolId: 'tool_1', input: { list: [{ text }] } },
});

test.each([
  ['{{event.data.card.desc}}', true],
  ['About: {{event.data.card.desc}}', true],
  ['{{event.data.card}}', true],
  ['{{event.data}}', true],
  ['{{event}}', true],
  ['{{event.data.card.id}}', false],
  ['{{event.data.label.name}}', false],
  ['{{event.eventId}}', false],
  ['no placeholder', false],
])('a tool that is given %s uses the description of the card: %s', (text, uses) => {
  expect(usesOfEvent(tool(text))(['card', 'desc'])).toBe(uses);
});

test('what lies within a part is a use of it; a model and another platform use all', () => {
  expect(usesOfEvent(tool('{{event.data.list.name}}'))(['list'])).toBe(true);
  const model = { type: 'model', input: {}, maxTurns: 1, maxTokens: 1, maxSeconds: 1 } as const;
  expect(usesOfEvent({ runner: model })(['card', 'desc'])).toBe(true);
});
