import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { SwitchboardError, Trigger } from '../../../../../client/src/index.ts';
import { refresh, useRead } from '../../../data/use-read.ts';
import { useWrite } from '../../../data/use-write.ts';
import { AccountSelect } from '../../../forms/account-select.tsx';
import { problemsOf } from '../../../forms/problems.ts';
import { SchemaForm } from '../../../forms/schema-form.tsx';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/states.tsx';
import { missingFields } from '../missing-fields.ts';
import { paceOf, type TriggerType } from '../trigger-types.ts';
import { UnfitEvent } from '../unfit-event.tsx';
import { ChangedSettings, changedSince } from './changed-settings.tsx';
import { withoutDefaults } from './config-draft.ts';
import { SearchFilterField } from './search-filter-field.tsx';
import { TryOnHistory } from './try-on-history.tsx';
import { filterField } from './use-filter-check.ts';
import { useOnlyAccount } from './use-only-account.ts';
import { usePreview } from './use-preview.ts';
import { useTriggerDraft } from './use-trigger-draft.ts';

const touches = ['triggers', 'agents', 'overview'];

/** A long form may have been sent from far above. */
const bringIntoView = (place: HTMLElement | null): void => place?.scrollIntoView({ block: 'nearest' });

/** Account, configuration and a trial on recent history; saved when it does what it should. */
export const TriggerSettingsForm = (props: {
  agentId: string;
  type: TriggerType;
  trigger?: Trigger;
  onBack?: () => void;
  onDone: () => void;
}) => {
  const { agentId, type, trigger, onBack, onDone } = props;
  const { draft, change: set, settle } = useTriggerDraft(agentId, trigger?.id ?? 'new');
  const start = useMemo(() => withoutDefaults(trigger?.config ?? {}, type.config), [trigger?.config, type.config]);
  const { name = trigger?.name ?? '', accountId: chosen = trigger?.accountId, config = start } = draft;
  const queries = useQueryClient();
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const agent = useRead('GET /v1/agents/{id}', { params: { id: agentId } });
  const only = useOnlyAccount(type.integration);
  const accountId = chosen ?? only ?? '';
  const create = useWrite('POST /v1/triggers', { refresh: touches, done: 'The trigger is enabled.', quiet: true });
  const change = useWrite('PATCH /v1/triggers/{id}', { refresh: touches, done: 'Saved.', quiet: true });
  const { error: previewError, ...trial } = usePreview({
    type: type.id,
    accountId,
    config,
    ...(trigger === undefined ? {} : { triggerId: trigger.id }),
  });
  const error = create.error ?? change.error ?? previewError;
  const problems = problemsOf(error);
  const hasFilter = Object.hasOwn(type.config['properties'] ?? {}, 'searchFilter');
  const { searchFilter = '', ...rest } = config;
  const isBusy = create.isPending || change.isPending;
  const changed = trigger === undefined || draft.over === undefined ? [] : changedSince(draft.over, trigger.config);
  const isTold = changed.length > 0 && error?.status === 409;

  const save = async () => {
    const named = name.trim() === '' ? {} : { name: name.trim() };
    // What was not touched here stays as it is by now, whoever set it; a name that was erased is that of its kind again.
    const touched = {
      ...(draft.config === undefined || trigger === undefined ? {} : { config, version: trigger.version }),
      ...(draft.name === undefined ? {} : { name: type.title, ...named }),
    };
    if (trigger !== undefined && Object.keys(touched).length === 0) return onDone();
    try {
      await (trigger === undefined
        ? create.mutateAsync({ body: { agentId, type: type.id, accountId, config, ...named } })
        : change.mutateAsync({ params: { id: trigger.id }, body: touched }));
    } catch (error) {
      // Where somebody was faster, theirs is shown.
      if ((error as SwitchboardError).status === 409) await refresh(queries, ['triggers']);
      return;
    }
    settle();
    // Who has left the form by then is not brought back to close it.
    if (isOpen.current) onDone();
  };
  const configure = (next: Record<string, unknown> | undefined) => {
    create.reset();
    change.reset();
    set({ config: next, over: next && (draft.over ?? trigger?.config) });
  };

  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="flex items-start gap-3">
        {onBack !== undefined && (
          <button type="button" className="button button-bare -ml-2 px-2.5" onClick={onBack} aria-label="Another kind">
            <ArrowLeft aria-hidden="true" className="size-4" />
          </button>
        )}
        <div>
          <h3 className="text-base">{type.title}</h3>
          <p className="text-sm text-muted">
            {type.purpose} {paceOf(type)}.
          </p>
        </div>
      </div>
      <UnfitEvent missing={missingFields(agent.data?.runner.input ?? {}, type.event)} title={type.title} />
      <AccountSelect
        label="Account"
        integration={type.integration}
        isTypeFixed
        value={accountId === '' ? undefined : accountId}
        disabled={trigger !== undefined}
        onChange={(id) => set({ accountId: id })}
      />
      {hasFilter && (
        <SearchFilterField
          type={type.id}
          accountId={accountId}
          value={String(searchFilter)}
          error={problems.find(({ field }) => field === filterField)?.message}
          onChange={(text) => configure({ ...rest, ...(text === '' ? {} : { searchFilter: text }) })}
        />
      )}
      <SchemaForm
        schema={type.config}
        value={rest}
        hidden={['searchFilter']}
        accountId={accountId === '' ? undefined : accountId}
        integration={type.integration}
        {...(trigger === undefined ? {} : { names: trigger.names })}
        errors={problems.filter(({ field }) => field !== filterField)}
        place="config"
        onChange={(next) => configure({ ...next, ...(searchFilter === '' ? {} : { searchFilter }) })}
      />
      <Field label="Name" optional hint="To tell it from others of its kind.">
        <input
          className="field"
          maxLength={200}
          placeholder={type.title}
          value={name}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <TryOnHistory {...trial} disabled={accountId === ''} />
      {trigger !== undefined && changed.length > 0 && (
        <ChangedSettings trigger={trigger} names={changed} onTake={() => configure(undefined)} />
      )}
      {error !== null && problems.length === 0 && !isTold && (
        <div ref={bringIntoView}>
          <Problem error={error} />
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <button type="button" className="button button-quiet" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="button button-main" disabled={isBusy || accountId === ''} aria-busy={isBusy}>
          {trigger === undefined ? 'Enable the trigger' : 'Save'}
        </button>
      </div>
    </form>
  );
};
