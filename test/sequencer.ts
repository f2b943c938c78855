import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests mostly wait: for processes that were killed, for a browser, for a lease to pass. */
const folders = /\/(?:prove\/proofs|web\/test|pages)\//;
const names = /\/(?:killed-.*|demo|first-.*|restored-backup|takeover|mail-slots|conformance)\.test\.ts$/;
const waits = (file: string): boolean => folders.test(file) || names.test(file);

/** They are spread over the first half of a run, so that others compute meanwhile and none of them ends it alone. */
export class WaitingAmongOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => waits(moduleId));
    const others = sorted.filter(({ moduleId }) => !waits(moduleId));
    const share = Math.max(1, Math.floor(others.length / 2 / (waiting.length + 1)));
    return [...waiting.flatMap((file) => [file, ...others.splice(0, share)]), ...others];
  }
}
