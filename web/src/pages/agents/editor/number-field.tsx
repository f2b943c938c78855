import { Field } from '../../../ui/field.tsx';

/** A whole number that may be left to its default. */
export const NumberField = (props: {
  label: string;
  hint: string;
  value: number | undefined;
  usual: number;
  most: number;
  error: string | undefined;
  onChange: (value: number | undefined) => void;
}) => {
  const { label, hint, value, usual, most, error, onChange } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      <input
        className="field"
        type="number"
        min={1}
        max={most}
        step={1}
        placeholder={String(usual)}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
      />
    </Field>
  );
};
