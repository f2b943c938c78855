import { expect, test } from 'vitest';
import { countTests, type FileReport } from './count-tests.ts';
import { filesToTryAgain, mostFiles, withSecondTry } from './second-try.ts';

const file = (name: string, ...statuses: string[]): FileReport => ({
  name,
  status: statuses.includes('failed') || statuses.length === 0 ? 'failed' : 'passed',
  message: '',
  assertionResults: statuses.map((status, at) => ({
    status,
    fullName: `${name} ${at}`,
    failureMessages: status === 'failed' ? ['Error: too late\n  at a line'] : [],
  })),
});
const report = (...testResults: FileReport[]) => ({ testResults });
const all = { all: true };

test('only files that failed are tried again, and none when many did', () => {
  expect(filesToTryAgain(report(file('a', 'passed'), file('b', 'failed'), file('c')))).toEqual(['b', 'c']);
  const many = Array.from({ length: mostFiles }, (_, at) => file(`${at}`, 'failed'));
  expect(filesToTryAgain(report(...many))).toHaveLength(mostFiles);
  expect(filesToTryAgain(report(...many, file('one more')))).toEqual([]);
});

test('what passes at the second try counts as passed and is named with its first reason', () => {
  const { report: both, remarks } = withSecondTry(
    report(file('a', 'passed'), file('b', 'passed', 'failed')),
    report(file('b', 'passed', 'passed')),
  );

  expect(countTests(both, 0, all)).toMatchObject({ passed: 3, failed: 0 });
  expect(remarks).toEqual(['b 1: Error: too late']);
});

test('what fails twice has failed, and so has what the second try breaks', () => {
  const { report: both, remarks } = withSecondTry(
    report(file('a', 'passed'), file('b', 'passed', 'failed')),
    report(file('b', 'failed', 'failed')),
  );

  expect(countTests(both, 1, all)).toMatchObject({ passed: 1, failed: 2 });
  expect(remarks).toEqual([]);
});

test('a second try without a report changes nothing', () => {
  const first = report(file('a', 'failed'));
  expect(withSecondTry(first, report())).toEqual({ report: first, remarks: [] });
});
