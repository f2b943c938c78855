import { ModelFields } from '../../../forms/model-fields.tsx';
import type { Draft } from './agent-draft.ts';
import { ModelInUse } from './model-in-use.tsx';
import { NumberField } from './number-field.tsx';

type Model = Draft['model'];

/** The server refuses fields without a value. */
const withoutEmpty = (model: { [Name in keyof Model]?: Model[Name] | undefined }): Model =>
  Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined && value !== ''));

/** Which model works, and how much it may use for one run. */
export const ModelSettings = (props: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  at: (place: string) => string | undefined;
  agentId?: string;
}) => {
  const { draft, set, at, agentId } = props;
  const { model } = draft;
  const put = (name: keyof Model, value: number | undefined) =>
    set({ model: withoutEmpty({ ...model, [name]: value }) });
  return (
    <div className="card grid gap-5 p-4">
      <div className="grid gap-1">
        <span className="text-sm font-medium">Model in use</span>
        <ModelInUse runner={model} {...(agentId === undefined ? {} : { agentId })} />
      </div>
      <details open={model.provider !== undefined || model.model !== undefined || model.baseUrl !== undefined}>
        <summary className="link w-fit cursor-pointer py-1 text-sm">Use another model</summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <ModelFields
            value={model}
            unset="As set for the workspace"
            hints={{
              model: 'As the provider calls it.',
              baseUrl: 'Another server, over https. No key of the workspace or the operator is sent there.',
            }}
            errorAt={(name) => at(`runner.${name}`)}
            onChange={(change) => set({ model: withoutEmpty({ ...model, ...change }) })}
          />
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
