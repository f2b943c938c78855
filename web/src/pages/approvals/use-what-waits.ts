import type { ApprovalSummary } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';

/** An approval in few words: its subject or, where it has none, what the step does. */
export const useWhatWaits = (): ((approval: Pick<ApprovalSummary, 'headline' | 'stepId'>) => string) => {
  const titleOf = useStepTitle();
  return ({ headline, stepId }) => headline.subject ?? titleOf(stepId);
};
