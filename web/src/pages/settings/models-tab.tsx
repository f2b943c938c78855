import type { FormEvent } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { type ModelChoice, ModelFields } from '../../forms/model-fields.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { useStillSo } from './use-still-so.ts';

type Provider = NonNullable<Settings['model']>['provider'];

const addresses: Record<Provider, string> = {
  'openai-compatible': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
};
type Choice = { provider: Provider; model: string; baseUrl: string };
const usual: Choice = { provider: 'openai-compatible', model: '', baseUrl: addresses['openai-compatible'] };
const textOf = ({ provider, model, baseUrl }: Choice): string => JSON.stringify({ provider, model, baseUrl });
const savedIn = ({ model }: Pick<Settings, 'model'>): string => textOf(model ?? usual);
const shown = ['model.baseUrl', 'model.model', 'model.apiKey'];

const ModelForm = ({ model }: { model: Settings['model'] }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const before = savedIn({ model });
  const isStillSo = useStillSo(savedIn, before);
  // As one text: half of it by somebody else would send this name of a model to another provider.
  const typed = useTyped(before);
  const choice = JSON.parse(typed.value) as Choice;
  const apiKey = useTyped('');
  const errors = fieldErrors(save.error);
  const locked = !may('owner');
  // Another provider is found at another address.
  const choose = ({ provider = choice.provider, ...change }: ModelChoice) => {
    const address = model?.provider === provider ? model.baseUrl : addresses[provider];
    const moved = provider === choice.provider ? {} : { provider, baseUrl: address };
    typed.set(textOf({ ...choice, ...moved, ...change }));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await isStillSo())) return;
    const { provider, baseUrl, model: name } = choice;
    const named = { provider, baseUrl: baseUrl.trim(), model: name.trim() };
    const key = apiKey.value.trim();
    const onSuccess = () => {
      typed.forget();
      apiKey.forget();
    };
    save.mutate({ body: { model: { ...named, ...(key === '' ? {} : { apiKey: key }) } } }, { onSuccess });
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2"
      aria-busy={save.isPending}
    >
      <ModelFields
        value={choice}
        hints={{ model: 'For agents that name none.', baseUrl: 'Where the model is asked.' }}
        errorAt={(name) => errors[`model.${name}`]}
        disabled={locked}
        onChange={choose}
      />
      <div className="sm:col-span-2">
        <Field
          label="API key"
          optional
          error={errors['model.apiKey']}
          hint={
            model?.hasKey
              ? 'One is stored. Left empty, it stays as long as the address does; it is sent nowhere else.'
              : 'Stored sealed, never shown again, and sent to this address only.'
          }
        >
          <input
            className="field font-mono"
            type="password"
            autoComplete="off"
            disabled={locked}
            value={apiKey.value}
            onChange={(event) => {
              // The key is for the provider that is shown now.
              typed.set(typed.value);
              apiKey.set(event.target.value);
            }}
          />
        </Field>
      </div>
      {typed.isOld && !save.isPending && (
        <div className="sm:col-span-2">
          <ChangedMeanwhile saved={model === null ? '' : `${model.model} at ${model.baseUrl}`} onTake={typed.forget} />
        </div>
      )}
      <p role="alert" className="text-sm text-bad empty:hidden sm:col-span-2">
        {otherError(save.error, shown)}
      </p>
      {!locked && (
        <div className="flex flex-wrap gap-2 sm:col-span-2">
          <button type="submit" className="button button-main" disabled={save.isPending}>
            Save
          </button>
          {model !== null && (
            <Confirm
              trigger="Use the operator's model"
              title="Use the operator's model again?"
              action="Remove this one"
              onConfirm={() => save.mutateAsync({ body: { model: null } })}
            >
              <p>
                The address and the key that are stored here are removed. Agents that name no server of their own ask
                whom the operator of this Switchboard chose.
              </p>
            </Confirm>
          )}
        </div>
      )}
    </form>
  );
};

export const ModelsTab = () => {
  const { may } = useSession();
  const settings = useRead('GET /v1/settings');
  return (
    <Section
      title="Model"
      about="Whom agents with a language model ask. Without a setting here it is whom the operator of this Switchboard chose."
    >
      <Shown of={settings} loading="Looking at the settings">
        {({ model }) => (
          <>
            {model === null && (
              <p className="text-sm text-muted">Nothing is set here: agents ask whom the operator chose.</p>
            )}
            {(model !== null || may('owner')) && <ModelForm model={model} />}
          </>
        )}
      </Shown>
    </Section>
  );
};
