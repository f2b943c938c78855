import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Service } from '../common/opening.ts';

/** A line of a process's record. */
export type Entry =
  | { kind: 'opened'; service: Service }
  | { kind: 'closed'; service: Service; answers: number }
  | { kind: 'strayed'; text: string };

export type Report = { sandboxes: number; answers: number; strayed: string[] };

/** What all processes noted in the folder. */
export const readReport = (folder: string): Report => {
  const entries = readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry),
  );
  return {
    sandboxes: entries.filter(({ kind }) => kind === 'opened').length,
    answers: entries.reduce((sum, entry) => sum + (entry.kind === 'closed' ? entry.answers : 0), 0),
    strayed: entries.flatMap((entry) => (entry.kind === 'strayed' ? [entry.text] : [])),
  };
};
