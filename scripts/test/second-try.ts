import type { FileReport, Report } from './count-tests.ts';

/** More than this many files that fail are no accident of a busy machine. */
export const mostFiles = 3;

export const hasFailed = ({ status, assertionResults }: FileReport): boolean =>
  status === 'failed' || assertionResults.some((test) => test.status === 'failed');

/** Files to run once more, alone: none when too many failed. */
export const filesToTryAgain = ({ testResults }: Report): string[] => {
  const failed = testResults.filter(hasFailed).map(({ name }) => name);
  return failed.length > mostFiles ? [] : failed;
};

/** The second try of a file stands in for its first; what then passed is named, so that nobody overlooks it. */
export const withSecondTry = (first: Report, second: Report): { report: Report; remarks: string[] } => {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const remarks = first.testResults.filter(hasFailed).flatMap((file) => {
    const passedNow = again.get(file.name)?.assertionResults.filter(({ status }) => status === 'passed') ?? [];
    const names = new Set(passedNow.map(({ fullName }) => fullName));
    return file.assertionResults
      .filter(({ status, fullName }) => status === 'failed' && names.has(fullName))
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.split('\n')[0] ?? 'no reason told'}`);
  });
  const testResults = first.testResults.map((file) => (hasFailed(file) ? (again.get(file.name) ?? file) : file));
  return { report: { testResults }, remarks };
};
