import { expect, test } from 'vitest';
import { Fault } from '#kit';
import { fitting, refusal } from './results.ts';

test('a long output is cut between characters, and its parts are the whole', () => {
  const output = '😀'.repeat(40_000);
  const first = fitting(output, 'run_1') as { outputText: string; goOnWith: { arguments: { offset: number } } };
  const second = fitting(output, 'run_1', first.goOnWith.arguments.offset) as { outputText: string };
  expect([first, second].map(({ outputText }) => outputText.isWellFormed())).toEqual([true, true]);
  expect(JSON.parse(first.outputText + second.outputText)).toBe(output);
});

test('a model is told to have granted what is missing where that can be asked for, and else not to repeat it', () => {
  const told = (details: Record<string, unknown>) => refusal(new Fault('forbidden', 'Not granted.', { details }), []);
  const saying = (next: RegExp) => ({ structuredContent: { error: { next: expect.stringMatching(next) } } });
  const missing = { missingScopes: ['Mail.Send'] };
  expect(told({ ...missing, connect: { integration: 'mail' } })).toMatchObject(saying(/call again once it is/));
  expect(told(missing)).toMatchObject(saying(/Do not repeat this/));
});

test('a model is not told to call a tool again of which a part is done', () => {
  const told = (fault: Fault) => (refusal(fault, []).structuredContent as { error: { next: string } }).error;
  const fields = [{ field: 'input.to', message: 'is no address.' }];
  const details = { done: ['create', 'label'] };
  const wrong = told(new Fault('invalid_input', 'Wrong.', { details: { ...details, fields } }));
  expect(wrong).toMatchObject({
    message: 'The arguments do not fit. to: is no address. Done before that: create, label.',
    next: expect.stringMatching(/^Do not call this again/),
  });
  expect(told(new Fault('rate_limited', 'Wait.', { details })).next).toMatch(/^Do not call this again/);
  const written = { done: [{ effect: 'write', method: 'POST', path: '/1/cards' }] };
  expect(told(new Fault('rate_limited', 'Wait.', { details: written })).next).toMatch(/^Do not call this again/);
  expect(told(new Fault('approval_denied', 'No.', { details })).next).toMatch(/^A person said no/);
  expect(told(new Fault('invalid_input', 'Wrong.', { details: { fields } })).next).toMatch(/call again\.$/);
});

test('a model that gave an account and something else wrongly is told to mend both', () => {
  const accounts = [{ argument: 'accountId', id: 'acc_1', name: 'ada' }];
  const nextOf = (...names: string[]) => {
    const fields = names.map((name) => ({ field: name, message: 'is wrong' }));
    const { structuredContent } = refusal(new Fault('invalid_input', 'Wrong.', { details: { fields } }), accounts);
    return (structuredContent as { error: { next: string } }).error.next;
  };
  expect(nextOf('accountId', 'to')).toMatch(/^Correct the named arguments, name one of the candidates/);
  expect(nextOf('accountId')).toBe('Call again with the id of one of the candidates.');
});
