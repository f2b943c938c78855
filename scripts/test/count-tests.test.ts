import { expect, test } from 'vitest';
import { countTests, type FileReport } from './count-tests.ts';

const file = (status: string, ...tests: string[]): FileReport => ({
  name: 'a.test.ts',
  status,
  message: '',
  assertionResults: tests.map((test) => ({ status: test, fullName: 'a test', failureMessages: [] })),
});
const count = (files: FileReport[], exitCode: number | null = 0, all = true) => {
  const { passed, failed } = countTests({ testResults: files }, exitCode, { all });
  return { passed, failed };
};

test('passed and failed tests are counted over all files', () => {
  const files = [file('passed', 'passed', 'passed'), file('failed', 'passed', 'failed')];

  expect(count(files, 1)).toEqual({ passed: 3, failed: 1 });
});

test('a file that cannot be loaded counts as failed', () => {
  expect(count([file('passed', 'passed'), file('failed')], 1)).toEqual({ passed: 1, failed: 1 });
});

test('a skipped test counts as failed, unless only some tests were asked for', () => {
  expect(count([file('passed', 'passed', 'skipped')])).toEqual({ passed: 1, failed: 1 });
  expect(count([file('passed', 'passed', 'skipped')], 0, false)).toEqual({ passed: 1, failed: 0 });
});

test('a runner that fails or dies after passing tests counts as failed', () => {
  expect(count([file('passed', 'passed')], 1)).toEqual({ passed: 1, failed: 1 });
  expect(count([file('passed', 'passed')], null)).toEqual({ passed: 1, failed: 1 });
});

test('no report and no test count as failed', () => {
  expect(countTests(undefined, 0, { all: true })).toMatchObject({ passed: 0, failed: 1 });
  expect(count([])).toEqual({ passed: 0, failed: 1 });
});
