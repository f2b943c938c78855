import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { ToolInput, ToolStep } from '../../../../client/src/index.ts';
import { useAll } from '../../data/use-read.ts';
import { AccountSelect } from '../../forms/account-select.tsx';
import { Field } from '../../ui/field.tsx';
import { Unread } from '../../ui/unread.tsx';

type Way = 'id' | 'input' | 'secret';
const wayOf = (account: ToolStep['account']): Way => ('id' in account ? 'id' : 'input' in account ? 'input' : 'secret');

/** Whom a step acts for: a fixed account, one that the tool is given, or a stored secret. */
export const StepAccount = (props: {
  integration: string;
  step: string;
  inputs: readonly ToolInput[];
  value: ToolStep['account'];
  onChange: (account: ToolStep['account']) => void;
  /** Adds an input of the tool for the account and answers its name. */
  onNewInput: () => void;
  error?: string | undefined;
  disabled: boolean;
}) => {
  const { integration, step, inputs, value, onChange, onNewInput, error, disabled } = props;
  const group = useId();
  const way = wayOf(value);
  const secrets = useAll('GET /v1/secrets');
  const own = secrets.data?.items.filter((secret) => secret.integration === integration) ?? [];
  const fitting = inputs.filter((input) => input.type === 'account' && input.integration === integration);
  const ways: [Way, string][] = [
    ['id', 'A fixed account'],
    ['input', 'An input of the tool'],
    ...(own.length > 0 || way === 'secret' ? [['secret', 'A stored secret'] as [Way, string]] : []),
  ];
  const choose = (next: Way) => {
    if (next === 'id') onChange({ id: '' });
    if (next === 'secret') onChange({ secret: own[0]?.id ?? '' });
    if (next === 'input') {
      const [first] = fitting;
      if (first === undefined) onNewInput();
      else onChange({ input: first.name });
    }
  };
  return (
    <fieldset className="grid gap-2" disabled={disabled}>
      <legend className="sr-only">Acts for</legend>
      <div className="flex flex-wrap items-center gap-x-4">
        <span className="text-sm font-medium">Acts for</span>
        {ways.map(([name, words]) => (
          <label key={name} className="flex min-h-10 items-center gap-2 text-sm">
            <input
              type="radio"
              name={group}
              className="size-4 accent-accent-strong"
              checked={way === name}
              onChange={() => choose(name)}
            />
            {words}
          </label>
        ))}
      </div>
      <Unread of={secrets} />
      {'id' in value && (
        <AccountSelect
          integration={integration}
          step={step}
          value={value.id === '' ? undefined : value.id}
          onChange={(id) => onChange({ id: id ?? '' })}
          error={error}
          disabled={disabled}
        />
      )}
      {'input' in value && (
        <Field label="Input that names the account" error={error}>
          <select className="field" value={value.input} onChange={({ target }) => onChange({ input: target.value })}>
            {!fitting.some(({ name }) => name === value.input) && <option value={value.input}>{value.input}</option>}
            {fitting.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      {'secret' in value && (
        <Field label="Stored secret" error={error}>
          <select className="field" value={value.secret} onChange={({ target }) => onChange({ secret: target.value })}>
            {!own.some(({ id }) => id === value.secret) && <option value={value.secret}>{value.secret}</option>}
            {own.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      {'secret' in value && (
        <p className="text-xs text-muted">
          Lists to choose from are not read with a secret; ids and names are typed.{' '}
          <Link to={`/integrations/${integration}`} className="link">
            Stored secrets
          </Link>
        </p>
      )}
    </fieldset>
  );
};
