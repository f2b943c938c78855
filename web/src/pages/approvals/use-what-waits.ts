import type { ApprovalSummary } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';

/** The subject of a mail; one without it has a name, too. */
export const subjectOf = (subject: string): string => (subject.trim() === '' ? '(no subject)' : subject);

/** An approval in few words: its subject or, where it has none, what the step does and to what. */
export const useWhatWaits = (): ((approval: Pick<ApprovalSummary, 'headline' | 'stepId'>) => string) => {
  const titleOf = useStepTitle();
  return ({ headline: { subject, request }, stepId }) => {
    if (subject !== undefined) return subjectOf(subject);
    return request === undefined ? titleOf(stepId) : `${titleOf(stepId)}: ${request}`;
  };
};
