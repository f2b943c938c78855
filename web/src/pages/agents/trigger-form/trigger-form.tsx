import { useRef, useState } from 'react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { passFocus } from '../../../ui/pass-focus.ts';
import { Shown } from '../../../ui/shown.tsx';
import { useTriggerTypes } from '../trigger-types.ts';
import { TriggerSettingsForm } from './trigger-settings-form.tsx';
import { TriggerTypeChoice } from './trigger-type-choice.tsx';
import { useTriggerDraft } from './use-trigger-draft.ts';

/** What was set here before, and neither saved nor thrown away: nobody takes it for what is saved. */
const NotSaved = ({ onThrow }: { onThrow: () => void }) => (
  <div
    role="status"
    className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn"
  >
    What you set here before is not saved yet.
    <button type="button" className="button button-quiet" onClick={onThrow}>
      Throw it away
    </button>
  </div>
);

/** A new trigger: first its kind, then its settings. An existing one keeps its kind. */
export const TriggerForm = (props: { agentId: string; trigger?: Trigger; onDone: () => void }) => {
  const { agentId, trigger, onDone } = props;
  const { query, types, typeOf } = useTriggerTypes();
  const { draft, change, forget } = useTriggerDraft(agentId, trigger?.id ?? 'new');
  const [isOld, setIsOld] = useState(() => (draft.config ?? draft.accountId ?? draft.name) !== undefined);
  const chosen = trigger?.type ?? draft.type;
  const type = chosen === undefined ? undefined : typeOf(chosen);
  const place = useRef<HTMLDivElement>(null);
  // Fields that are still being read for cannot have the focus; what comes first always can.
  const goOn = () => passFocus(() => place.current?.querySelector<HTMLElement>('input, button'));
  if (query.data === undefined)
    return (
      <Shown of={query} loading="Looking for the kinds of triggers">
        {() => null}
      </Shown>
    );
  if (type === undefined)
    return (
      <div ref={place}>
        <TriggerTypeChoice
          types={types}
          onChoose={(id) => {
            change({ type: id });
            goOn();
          }}
        />
      </div>
    );
  const goBack = () => {
    forget();
    goOn();
  };
  return (
    <div ref={place}>
      {isOld && (
        <NotSaved
          onThrow={() => {
            forget();
            setIsOld(false);
            goOn();
          }}
        />
      )}
      <TriggerSettingsForm
        key={`${type.id} ${isOld}`}
        agentId={agentId}
        type={type}
        {...(trigger === undefined ? { onBack: goBack } : { trigger })}
        onDone={onDone}
      />
    </div>
  );
};
