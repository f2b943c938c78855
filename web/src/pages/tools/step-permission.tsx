import { useId } from 'react';
import type { Permission } from '../../../../client/src/index.ts';

/** Whether what this step sends waits for a person. */
export const StepPermission = (props: {
  effect: string;
  value: Permission;
  onChange: (permission: Permission) => void;
  disabled: boolean;
}) => {
  const { effect, value, onChange, disabled } = props;
  const group = useId();
  const option = (permission: Permission, title: string, about: string) => (
    <label className="flex min-h-10 items-start gap-2.5 text-sm">
      <input
        type="radio"
        name={group}
        className="mt-0.5 size-4 shrink-0 accent-accent-strong"
        checked={value === permission}
        disabled={disabled}
        onChange={() => onChange(permission)}
      />
      <span>
        <span className="font-medium">{title}</span>
        <span className="block text-xs text-muted">{about}</span>
      </span>
    </label>
  );
  const choice = (
    <div role="radiogroup" aria-label="Before it sends" className="grid gap-2">
      {option(
        'approval',
        'Ask before each send',
        'A person sees exactly what leaves, and approves, changes or rejects it.',
      )}
      {option(
        'autopilot',
        'Autopilot',
        'Sends without asking when the agent that runs it is on autopilot, too: to recipients fixed here, the people of the mail that caused it, or the allow-list. Others still ask.',
      )}
    </div>
  );
  if (effect === 'send' || value === 'autopilot')
    return (
      <div className="grid gap-2 rounded-lg bg-sunken p-3">
        <p className="text-sm font-medium">Before it sends</p>
        {choice}
      </div>
    );
  return (
    <details className="text-sm">
      <summary className="min-h-8 cursor-pointer text-muted hover:text-ink">
        If this step sends something to people
      </summary>
      <p className="py-2 text-xs text-muted">
        What it does is judged by the request: an invitation or a raw call that sends is a send, and asks first.
      </p>
      {choice}
    </details>
  );
};
