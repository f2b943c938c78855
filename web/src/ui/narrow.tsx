import { Choice } from '../forms/choice.tsx';
import { Field } from './field.tsx';

/** Narrows a list to one of some values, or to none of them. */
export const Narrow = (props: {
  label: string;
  value: string | undefined;
  choices: Iterable<readonly [value: string, words: string]>;
  onChoose: (value: string) => void;
  /** What none of them means. */
  none?: string;
}) => (
  <Field label={props.label}>
    <Choice
      label={props.label}
      value={props.value ?? ''}
      none={props.none ?? 'Any'}
      choices={[...props.choices]}
      onChoose={props.onChoose}
    />
  </Field>
);
