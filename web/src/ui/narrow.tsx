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
    <select className="field" value={props.value ?? ''} onChange={({ target }) => props.onChoose(target.value)}>
      <option value="">{props.none ?? 'Any'}</option>
      {[...props.choices].map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </Field>
);
