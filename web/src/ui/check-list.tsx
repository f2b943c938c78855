import { type ReactNode, useId } from 'react';

/** Several of a few, each with words of its own. */
export const CheckList = <Name extends string>(props: {
  legend: string;
  options: readonly { name: Name; words: ReactNode }[];
  chosen: readonly Name[];
  onChange: (chosen: Name[]) => void;
  error?: string | undefined;
}) => {
  const { legend, options, chosen, onChange, error } = props;
  const id = useId();
  const toggle = (name: Name) =>
    onChange(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <div role="group" aria-labelledby={id} className="grid gap-1">
      <p id={id} className="text-sm font-medium">
        {legend}
      </p>
      {options.map(({ name, words }) => (
        <label key={name} className="flex min-h-10 items-start gap-3 rounded-lg px-2 py-1.5 text-sm hover:bg-hover">
          <input
            type="checkbox"
            className="mt-0.5 size-4 shrink-0 accent-accent-strong"
            checked={chosen.includes(name)}
            onChange={() => toggle(name)}
          />
          <span className="min-w-0">{words}</span>
        </label>
      ))}
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
    </div>
  );
};
