import { expect, test } from 'vitest';
import { namesOfTriggers } from './trigger-names.ts';

test('triggers that are called alike are told apart by their agent, else by their account, else by their filter', () => {
  const agents = new Map([
    ['a1', 'Responder'],
    ['a2', 'Sorter'],
  ]);
  const accounts = new Map([
    ['ada', 'ada@sandbox.test'],
    ['ben', 'ben@sandbox.test'],
  ]);
  const mail = (id: string, agentId: string, accountId: string, filter: string | null = null) => ({
    id,
    name: 'New Email',
    agentId,
    accountId,
    filter,
  });
  const named = (...triggers: ReturnType<typeof mail>[]) => [
    ...namesOfTriggers(triggers, { agents, accounts }).values(),
  ];

  expect(named(mail('1', 'a1', 'ada'), mail('2', 'a2', 'ada', 'from:luis'))).toEqual([
    'New Email, Responder',
    'New Email, Sorter',
  ]);
  expect(named(mail('1', 'a1', 'ada'), mail('2', 'a1', 'ben'))).toEqual([
    'New Email, Responder, ada@sandbox.test',
    'New Email, Responder, ben@sandbox.test',
  ]);
  expect(named(mail('1', 'a1', 'ada'), mail('2', 'a1', 'ada', 'from:luis'))).toEqual([
    'New Email, Responder, ada@sandbox.test',
    'New Email, Responder, ada@sandbox.test, from:luis',
  ]);
});
