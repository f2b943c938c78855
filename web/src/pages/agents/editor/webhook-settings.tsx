import { useWrite } from '../../../data/use-write.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Field } from '../../../ui/field.tsx';
import type { Draft } from './agent-draft.ts';
import { NumberField } from './number-field.tsx';
import { SecretOnce } from './secret-once.tsx';

const NewSecret = ({ agentId }: { agentId: string }) => {
  const rotate = useWrite('POST /v1/agents/{id}/rotate', { refresh: ['agents'] });
  return (
    <>
      <Confirm
        trigger="New signing secret"
        title="Make a new signing secret?"
        action="Make a new secret"
        tone="main"
        onConfirm={() => rotate.mutateAsync({ params: { id: agentId } })}
      >
        <p>For 24 hours both the old and the new secret sign, so the other platform has time to change.</p>
      </Confirm>
      <SecretOnce secret={rotate.data?.secret} onClose={() => rotate.reset()} />
    </>
  );
};

/** Where another platform's agent is told. */
export const WebhookSettings = (props: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  at: (place: string) => string | undefined;
  agentId?: string;
}) => {
  const { draft, set, at, agentId } = props;
  const { url, deadlineSeconds } = draft.webhook;
  return (
    <div className="card grid gap-5 p-4">
      <Field
        label="Address"
        hint="What happened is posted here, signed. The other platform calls back with a key that only this run has."
        error={at('runner.url')}
      >
        <input
          className="field"
          type="url"
          required
          placeholder="https://agents.example.com/switchboard"
          value={url}
          onChange={({ target }) => set({ webhook: { ...draft.webhook, url: target.value } })}
        />
      </Field>
      <NumberField
        label="Deadline in seconds"
        hint="A run that is not finished by then fails. Waiting for people does not count."
        usual={3_600}
        most={86_400}
        value={deadlineSeconds}
        error={at('runner.deadlineSeconds')}
        onChange={(value) => set({ webhook: { url, ...(value === undefined ? {} : { deadlineSeconds: value }) } })}
      />
      {agentId !== undefined && (
        <div className="justify-self-start">
          <NewSecret agentId={agentId} />
        </div>
      )}
    </div>
  );
};
