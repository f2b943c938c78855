import type { Step } from '../../../../client/src/index.ts';
import { pathsOf, type Variable } from '../../forms/variables.ts';
import { type Draft, typeWords } from './draft.ts';

/** What a step may refer to: the tool's inputs, and what the steps before it answered. */
export const variablesBefore = (draft: Draft, at: number, details: ReadonlyMap<string, Step>): Variable[] => [
  ...draft.inputs
    .filter(({ name }) => name !== '')
    .map(({ name, description, type }) => ({
      path: `inputs.${name}`,
      label: `inputs.${name}`,
      group: 'Inputs of the tool',
      hint: description === undefined || description === '' ? typeWords[type] : description,
    })),
  ...draft.steps.slice(0, at).flatMap(({ key, step }, index) => {
    const known = details.get(step);
    const group = `Step ${index + 1}: ${known?.title ?? step}`;
    const all = `steps.${key}.output`;
    return [
      { path: all, label: all, group, hint: 'everything it answers' },
      ...(known === undefined ? [] : pathsOf(known.output, all, group)),
    ];
  }),
];
