import type { Settings } from '../../../client/src/index.ts';
import { Field } from '../ui/field.tsx';

type Provider = NonNullable<Settings['model']>['provider'];
export type ModelChoice = { provider?: Provider | undefined; model?: string; baseUrl?: string };

/** Which model is asked, and where. Without `unset` all of it must be given; otherwise that is what nothing means. */
export const ModelFields = (props: {
  value: ModelChoice;
  onChange: (change: ModelChoice) => void;
  unset?: string;
  hints: { model: string; baseUrl: string };
  errorAt: (name: keyof ModelChoice) => string | undefined;
  disabled?: boolean;
}) => {
  const { value, onChange, unset, hints, errorAt, disabled = false } = props;
  const isOptional = unset !== undefined;
  return (
    <>
      <Field label="Provider" optional={isOptional} error={errorAt('provider')}>
        <select
          className="field"
          value={value.provider ?? ''}
          disabled={disabled}
          onChange={({ target }) =>
            onChange({ provider: target.value === '' ? undefined : (target.value as Provider) })
          }
        >
          {isOptional && <option value="">{unset}</option>}
          <option value="openai-compatible">OpenAI-compatible</option>
          <option value="anthropic">Anthropic</option>
        </select>
      </Field>
      <Field label="Model" optional={isOptional} hint={hints.model} error={errorAt('model')}>
        <input
          className="field"
          required={!isOptional}
          maxLength={200}
          value={value.model ?? ''}
          disabled={disabled}
          onChange={({ target }) => onChange({ model: target.value })}
        />
      </Field>
      <div className="sm:col-span-2">
        <Field label="Address of the provider" optional={isOptional} hint={hints.baseUrl} error={errorAt('baseUrl')}>
          <input
            className="field font-mono"
            type="url"
            required={!isOptional}
            placeholder="https://models.example.com/v1"
            value={value.baseUrl ?? ''}
            disabled={disabled}
            onChange={({ target }) => onChange({ baseUrl: target.value })}
          />
        </Field>
      </div>
    </>
  );
};
