import type { Reporter } from 'vitest/node';
import { besideTheTests } from './beside-the-tests.ts';

/** Notes errors that belong to no test. */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (_modules, errors) => {
    for (const { message } of errors) besideTheTests.note(`an error that no test awaited: ${message}`);
  };
}
