import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests mostly wait: for processes that were killed, for a browser, for a lease to pass. */
const waits = (file: string): boolean => /\/(?:prove\/proofs|web\/test|pages)\/|\/test\/(?:killed|demo)/.test(file);

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
