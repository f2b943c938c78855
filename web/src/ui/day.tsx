import { Field } from './field.tsx';

/** One end of the days that a list goes through. */
export const Day = (props: { label: string; value: string | undefined; onChoose: (day: string) => void }) => (
  <Field label={props.label}>
    <input
      className="field"
      type="date"
      value={props.value ?? ''}
      onChange={(event) => props.onChoose(event.target.value)}
    />
  </Field>
);
