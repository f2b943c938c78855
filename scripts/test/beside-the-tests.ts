import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Set for the test runner alone; whoever runs vitest by hand sees the same on the screen.
const variable = 'SWITCHBOARD_TEST_NOTES';
const file = (folder: string): string => path.join(folder, 'beside-the-tests.txt');

/** Where to note what went wrong outside of every test, so that no second try of a test hides it. */
export const besideTheTests = {
  variable,
  note: (complaint: string): void => {
    const folder = process.env[variable];
    if (folder !== undefined) appendFileSync(file(folder), `${complaint.split('\n')[0]}\n`);
  },
  read: (folder: string): string[] => {
    try {
      return readFileSync(file(folder), 'utf8').trimEnd().split('\n');
    } catch {
      return [];
    }
  },
};
