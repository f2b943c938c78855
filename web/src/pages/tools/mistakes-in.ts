import type { SwitchboardError } from '../../../../client/src/index.ts';
import { api } from '../../data/api.ts';
import { type FieldProblem, partsOf, problemsOf } from '../../forms/problems.ts';
import { type Draft, type DraftStep, isWord, toBody } from './draft.ts';

const isChosen = ({ account }: DraftStep): boolean => Object.values(account).some((each) => each !== '');

/** What can be seen to be missing before the server is asked. */
export const missingIn = ({ name, inputs, steps }: Draft): FieldProblem[] => [
  ...(name.trim() === '' ? [{ field: 'name', message: 'Give the tool a name.' }] : []),
  ...(steps.length === 0 ? [{ field: 'steps', message: 'Add at least one step.' }] : []),
  ...inputs.flatMap((input, at) =>
    isWord(input.name)
      ? []
      : [{ field: `inputs[${at}].name`, message: 'Must be a word of letters, digits and _, such as cardId.' }],
  ),
  ...steps.flatMap((step, at) => [
    ...(isWord(step.key) ? [] : [{ field: `steps[${at}].key`, message: 'Must be a word of letters, digits and _.' }]),
    ...(isChosen(step) ? [] : [{ field: `steps[${at}].account`, message: 'Choose whom this step acts for.' }]),
  ]),
];

const nowhere = '-';

/** The draft with stand-ins for what is missing, so that the rest of it can be looked at. */
const withStandIns = (draft: Draft): Draft => ({
  ...draft,
  name: draft.name.trim() === '' ? nowhere : draft.name,
  inputs: draft.inputs.map((input, at) => (isWord(input.name) ? input : { ...input, name: `unnamed_input_${at}` })),
  steps: draft.steps.map((step, at) => ({
    ...step,
    key: isWord(step.key) ? step.key : `unnamed_step_${at}`,
    account: isChosen(step) ? step.account : { id: nowhere },
  })),
});

/** What the server would refuse besides what is missing, so that nobody is told in two rounds. */
export const mistakesBesides = async (draft: Draft, missing: readonly FieldProblem[]): Promise<FieldProblem[]> => {
  const refusal = await api.call('POST /v1/tools/check', { body: toBody(withStandIns(draft)) }).then(
    () => null,
    (error: unknown) => error as SwitchboardError,
  );
  const told = missing.map(({ field }) => partsOf(field));
  return problemsOf(refusal).filter(({ field }) => {
    const parts = partsOf(field);
    return !told.some((place) => place.every((part, at) => parts[at] === part));
  });
};
