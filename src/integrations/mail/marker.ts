import { z } from 'zod';
import { Fault, type Path, type StepContext, type Upstream, type Verdict } from '#kit';
import { quoted, wholeList } from './collect.ts';

// A named property of our own, which the service keeps with the item and shows to nobody who does not ask for it.
export const markProperty = 'String {6f1f0d3e-52c1-4c0e-9a77-3d6b1c2f8a40} Name switchboard-mark';

/** Says that a change of ours was made. */
export const changeProperty = 'String {6f1f0d3e-52c1-4c0e-9a77-3d6b1c2f8a40} Name switchboard-change';

/** The mark as a header, for everybody who gets the mail. */
export const markHeader = 'x-switchboard-marker';

/** Marks a thing that is being made, so that it is found again if the answer gets lost. */
export const marked = (mark: string): { singleValueExtendedProperties: { id: string; value: string }[] } => ({
  singleValueExtendedProperties: [{ id: markProperty, value: mark }],
});

/** What was made with that mark. */
export const findMarked = async (upstream: Upstream, path: Path, mark: string): Promise<Verdict> => {
  const $filter = `singleValueExtendedProperties/any(p: p/id eq ${quoted(markProperty)} and p/value eq ${quoted(mark)})`;
  return { made: await wholeList(upstream, path, { $filter }, z.unknown()) };
};

/** Runs a read that may find nothing. */
export const unlessGone = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  }
};

/** Only a run that goes on may find nothing, by its own earlier doing: to one that begins, nothing was named. */
export const unlessRemoved = <T>(
  { begun = [] }: Pick<StepContext, 'begun'>,
  read: Promise<T>,
): Promise<T | undefined> => (begun.length > 0 ? unlessGone(read) : read);
