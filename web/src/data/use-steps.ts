import type { StepSummary } from '../../../client/src/index.ts';
import { useRead } from './use-read.ts';

/** Every step in a few words, by id. */
export const useSteps = (): ReadonlyMap<string, StepSummary> => {
  const { data } = useRead('GET /v1/integrations');
  return new Map(data?.items.flatMap(({ steps }) => steps).map((step) => [step.id, step]));
};

/** `mail.send_email` is close to its title, for a step that is not known yet or not any more. */
const wordsOf = (id: string): string =>
  id
    .slice(id.indexOf('.') + 1)
    .replaceAll('_', ' ')
    .replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** What people call a step. */
export const useStepTitle = (): ((id: string) => string) => {
  const steps = useSteps();
  return (id) => steps.get(id)?.title ?? wordsOf(id);
};
