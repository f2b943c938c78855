import { type ComponentType, createContext, useContext } from 'react';
import type { SavedNames } from './chosen-words.ts';
import type { FieldProblem } from './problems.ts';
import type { Schema } from './schema.ts';
import type { Variable } from './variables.ts';

/** What every field of one form knows. */
export type FormScope = {
  accountId: string | undefined;
  integration: string | undefined;
  variables: readonly Variable[];
  problems: readonly FieldProblem[];
  disabled: boolean;
  /** The whole form, for drop-downs that depend on another field. */
  schema: Schema;
  value: Record<string, unknown>;
  /** Values known outside the form that narrow drop-downs, such as a board. */
  scope: Record<string, string>;
  /** What was chosen before was called so when it was saved. */
  names: SavedNames;
  /** Draws a value of any schema; here, because groups hold fields that may be groups. */
  Control: ComponentType<ControlProps>;
};

const Form = createContext<FormScope | undefined>(undefined);
export const FormProvider = Form;

export const useForm = (): FormScope => {
  const form = useContext(Form);
  if (form === undefined) throw new Error('a field stands outside a form');
  return form;
};

/** What a control is given: its value and the ties to its label, hint and error. */
export type ControlProps = {
  schema: Schema;
  value: unknown;
  onChange: (value: unknown) => void;
  path: readonly string[];
  label: string;
  required: boolean;
  /** For the element that the label, the hint and the error belong to. */
  tied: {
    id: string;
    'aria-label'?: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  };
};
