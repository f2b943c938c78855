import { z } from 'zod';

const FileReport = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string().default(''),
  assertionResults: z.array(
    z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).default([]) }),
  ),
});
export type FileReport = z.output<typeof FileReport>;
const Report = z.object({ testResults: z.array(FileReport) });
export type Report = z.output<typeof Report>;

/** Vitest's own report, if it wrote one that can be read. */
export const parseReport = (report: unknown): Report | undefined => Report.safeParse(report).data;

export type Counts = { passed: number; failed: number };

/**
 * Counts vitest's report. A file that could not be loaded, a runner that failed without a failed test, and, when all
 * tests were asked for, a skipped one, each count as failed: nothing may look better than it was.
 */
export const countTests = (
  report: Report | undefined,
  exitCode: number | null,
  { all }: { all: boolean },
): Counts & { complaints: string[] } => {
  if (report === undefined)
    return { passed: 0, failed: 1, complaints: [`vitest ended (${exitCode}) without a report`] };
  const files = report.testResults;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failedTests = tests.filter(({ status }) => status === 'failed').length;
  const complaints = [
    ...files
      .filter((file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'))
      .map(({ name, message }) => `${name} ${message.split('\n')[0]}`),
    ...(all ? tests.filter(({ status }) => status !== 'passed' && status !== 'failed') : []).map(
      ({ fullName, status }) => `${fullName} (${status})`,
    ),
  ];
  if (exitCode !== 0 && failedTests + complaints.length === 0) {
    complaints.push(`vitest ended with ${exitCode}, though no test failed`);
  }
  if (tests.length === 0 && complaints.length === 0) complaints.push('no test was found');
  return { passed, failed: failedTests + complaints.length, complaints };
};
