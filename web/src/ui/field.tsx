import { cloneElement, type ReactElement, type ReactNode, useId } from 'react';

type Control = ReactElement<{
  id?: string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
  className?: string;
}>;

/** A label, its control, a hint and what is wrong with it, tied together for everyone. */
export const Field = (props: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
  children: Control;
}) => {
  const { label, hint, error, optional = false, children } = props;
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-medium [overflow-wrap:anywhere]">
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {cloneElement(children, {
        id,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': error !== undefined || undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted [overflow-wrap:anywhere]">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-xs text-bad [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
    </div>
  );
};
