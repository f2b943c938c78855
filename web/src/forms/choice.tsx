import { Combobox } from './combobox.tsx';

/** More than these nobody looks through. */
const many = 50;

/** One of some values, or none of them: a drop-down, and where there are many, one to search in. */
export const Choice = (props: {
  id?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
  label: string;
  value: string;
  /** What none of them is called. */
  none: string;
  choices: readonly (readonly [value: string, words: string])[];
  onChoose: (value: string) => void;
  disabled?: boolean;
  required?: boolean;
}) => {
  const { label, value, none, choices, onChoose, disabled = false, required = false } = props;
  const named = props.id === undefined ? { 'aria-label': label } : { id: props.id };
  const tied = { ...named, 'aria-describedby': props['aria-describedby'] };
  const isInvalid = props['aria-invalid'] === true || undefined;
  // What is chosen and not there any more is still what is chosen.
  const isKnown = value === '' || choices.some(([each]) => each === value);
  const offered = isKnown ? choices : [[value, value] as const, ...choices];
  if (offered.length <= many)
    return (
      <select
        {...tied}
        aria-invalid={isInvalid}
        className="field"
        value={value}
        disabled={disabled}
        required={required}
        onChange={({ target }) => onChoose(target.value)}
      >
        <option value="">{none}</option>
        {offered.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    );
  return (
    <Combobox
      tied={{ ...tied, 'aria-invalid': isInvalid }}
      label={label}
      shown={value === '' ? '' : (offered.find(([each]) => each === value)?.[1] ?? value)}
      items={[['', none] as const, ...offered].map(([each, words]) => ({ value: each, label: words }))}
      onPick={onChoose}
      placeholder={none}
      disabled={disabled}
      required={required}
      isClosed
    />
  );
};
