import { Fault } from '#kit';
import type { RunRow } from './run-records.ts';

/** What takes one process after the other with it must not go on for ever. */
export const mostLapses = 24;

/** From here on those that lapsed together are taken up apart, so that what took the others with it meets them no more. */
export const lapsesApart = 3;

/** Why a run is carried out no more; `undefined` while it is. */
export const endOfLapsed = ({ lapses }: Pick<RunRow, 'lapses'>): Fault | undefined =>
  lapses < mostLapses
    ? undefined
    : new Fault(
        'internal',
        `The process that carried this run out ended ${lapses} times in a row before it was done; it is tried no more.`,
        { details: { lapses } },
      );

/** What was begun is still looked for, once: should that be what ends processes, it is left as it is. */
export const mayLook = ({ lapses }: Pick<RunRow, 'lapses'>): boolean => lapses === mostLapses;
