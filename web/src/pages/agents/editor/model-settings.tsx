import { Field } from '../../../ui/field.tsx';
import type { Draft } from './agent-draft.ts';
import { ModelInUse } from './model-in-use.tsx';
import { NumberField } from './number-field.tsx';

type Model = Draft['model'];

/** Leaves out what is empty: the server refuses fields without a value. */
const changed = (model: Model, name: keyof Model, value: string | number | undefined): Model => {
  const { [name]: _, ...rest } = model;
  return value === undefined || value === '' ? rest : { ...rest, [name]: value };
};

/** Which model works, and how much it may use for one run. */
export const ModelSettings = (props: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  at: (place: string) => string | undefined;
  agentId?: string;
}) => {
  const { draft, set, at, agentId } = props;
  const { model } = draft;
  const put = (name: keyof Model, value: string | number | undefined) => set({ model: changed(model, name, value) });
  return (
    <div className="card grid gap-5 p-4">
      <div className="grid gap-1">
        <span className="text-sm font-medium">Model in use</span>
        <ModelInUse runner={model} {...(agentId === undefined ? {} : { agentId })} />
      </div>
      <details open={model.provider !== undefined || model.model !== undefined || model.baseUrl !== undefined}>
        <summary className="link w-fit cursor-pointer py-1 text-sm">Use another model</summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <Field label="Provider" optional error={at('runner.provider')}>
            <select
              className="field"
              value={model.provider ?? ''}
              onChange={({ target }) => put('provider', target.value)}
            >
              <option value="">As set for the workspace</option>
              <option value="openai-compatible">OpenAI-compatible</option>
              <option value="anthropic">Anthropic</option>
            </select>
          </Field>
          <Field label="Model" optional hint="As the provider calls it." error={at('runner.model')}>
            <input
              className="field"
              maxLength={200}
              value={model.model ?? ''}
              onChange={({ target }) => put('model', target.value)}
            />
          </Field>
          <div className="sm:col-span-2">
            <Field
              label="Address of the provider"
              optional
              hint="Another server, over https. No key of the workspace or the operator is sent there."
              error={at('runner.baseUrl')}
            >
              <input
                className="field"
                type="url"
                placeholder="https://models.example.com/v1"
                value={model.baseUrl ?? ''}
                onChange={({ target }) => put('baseUrl', target.value)}
              />
            </Field>
          </div>
        </div>
      </details>
      <div className="grid gap-4 sm:grid-cols-3">
        <NumberField
          label="Turns"
          hint="How often it may be asked."
          usual={20}
          most={100}
          value={model.maxTurns}
          error={at('runner.maxTurns')}
          onChange={(value) => put('maxTurns', value)}
        />
        <NumberField
          label="Tokens"
          hint="Read and written together."
          usual={200_000}
          most={10_000_000}
          value={model.maxTokens}
          error={at('runner.maxTokens')}
          onChange={(value) => put('maxTokens', value)}
        />
        <NumberField
          label="Seconds"
          hint="Of work; waiting does not count."
          usual={600}
          most={3_600}
          value={model.maxSeconds}
          error={at('runner.maxSeconds')}
          onChange={(value) => put('maxSeconds', value)}
        />
      </div>
      <p className="text-xs text-muted">A run that reaches one of these limits fails and says so.</p>
    </div>
  );
};
