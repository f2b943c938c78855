import { z } from 'zod';

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

export type Counts = { passed: number; failed: number };

/**
 * Counts vitest's report. A file that could not be loaded, a runner that failed without a failed test, and, when all
 * tests were asked for, a skipped one, each count as failed: nothing may look better than it was.
 */
export const countTests = (
  report: unknown,
  exitCode: number | null,
  { all }: { all: boolean },
): Counts & { complaints: string[] } => {
  const parsed = Report.safeParse(report);
  if (!parsed.success) return { passed: 0, failed: 1, complaints: [`vitest ended (${exitCode}) without a report`] };
  const files = parsed.data.testResults;
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
