import type { ApprovalSummary } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';

/** The subject of a mail; one without it has a name, too. */
export const subjectOf = (subject: string): string => (subject.trim() === '' ? '(no subject)' : subject);

/** An approval in few words: its subject or, where it has none, what the step does and to what. */
export const useWhatWaits = (): ((approval: Pick<ApprovalSummary, 'headline' | 'stepId'>) => string) => {
  const titleOf = useStepTitle();
  return ({ headline: { kind, subject, request }, stepId }) => {
    // An event that is cancelled has the name of the one that people were invited to.
    if (kind === 'event' && subject !== undefined && stepId !== 'mail.create_event')
      return `${titleOf(stepId)}: ${subjectOf(subject)}`;
    if (subject !== undefined) return subjectOf(subject);
    return request === undefined ? titleOf(stepId) : `${titleOf(stepId)}: ${request}`;
  };
};
