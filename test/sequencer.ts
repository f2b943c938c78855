import { BaseSequencer, type TestSpecification } from 'vitest/node';

const compute = /\/(?:web\/test|pages)\//;
const wait =
  /\/prove\/proofs\/|\/(?:killed-.*|demo|first-.*|restored-backup|interrupted|takeover|mail-slots|conformance)\.test\.ts$/;

const kinds: readonly { holds: (file: string) => boolean; within: number }[] = [
  // A browser takes all that a core has.
  { holds: (file) => compute.test(file), within: 0.6 },
  // Others wait: for processes that were killed, for a lease to pass.
  { holds: (file) => wait.test(file), within: 0.5 },
  // Those that are left take a moment each, the last third of them none.
  { holds: () => true, within: 1 },
];

const kindOf = (file: string): number => kinds.findIndex(({ holds }) => holds(file));

/** Each kind is spread over the run, so that some compute while others wait, and nothing long ends it alone. */
export class EachAmongOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return kinds
      .flatMap(({ within }, kind) => {
        const alike = sorted.filter(({ moduleId }) => kindOf(moduleId) === kind);
        return alike.map((file, at) => ({ file, place: ((at + 0.5) / alike.length) * within }));
      })
      .toSorted((one, other) => one.place - other.place)
      .map(({ file }) => file);
  }
}
