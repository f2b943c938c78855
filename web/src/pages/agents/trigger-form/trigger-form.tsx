import type { Trigger } from '../../../../../client/src/index.ts';
import { Shown } from '../../../ui/shown.tsx';
import { useTriggerTypes } from '../trigger-types.ts';
import { TriggerSettingsForm } from './trigger-settings-form.tsx';
import { TriggerTypeChoice } from './trigger-type-choice.tsx';
import { useTriggerDraft } from './use-trigger-draft.ts';

/** A new trigger: first its kind, then its settings. An existing one keeps its kind. */
export const TriggerForm = (props: { agentId: string; trigger?: Trigger; onDone: () => void }) => {
  const { agentId, trigger, onDone } = props;
  const { query, types, typeOf } = useTriggerTypes();
  const { draft, change, forget } = useTriggerDraft(agentId, trigger?.id ?? 'new');
  const chosen = trigger?.type ?? draft.type;
  const type = chosen === undefined ? undefined : typeOf(chosen);
  if (query.data === undefined)
    return (
      <Shown of={query} loading="Looking for the kinds of triggers">
        {() => null}
      </Shown>
    );
  if (type === undefined) return <TriggerTypeChoice types={types} onChoose={(id) => change({ type: id })} />;
  return (
    <TriggerSettingsForm
      key={type.id}
      agentId={agentId}
      type={type}
      {...(trigger === undefined ? { onBack: forget } : { trigger })}
      onDone={onDone}
    />
  );
};
