import { useState } from 'react';
import type { Tool } from '../../../../../client/src/index.ts';
import { useAll } from '../../../data/use-read.ts';
import { AccountSelect } from '../../../forms/account-select.tsx';
import type { FieldProblem } from '../../../forms/problems.ts';
import { SchemaForm } from '../../../forms/schema-form.tsx';
import { Field } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import { Unread } from '../../../ui/unread.tsx';
import { useTriggerTypes } from '../trigger-types.ts';
import { type Draft, inputsOf } from './agent-draft.ts';
import { eventVariables } from './event-variables.ts';
import { inputSchema } from './input-schema.ts';

const about: Record<Draft['kind'], string> = {
  tool: 'What each event brings is filled into the inputs of the tool.',
  model: 'What is filled in here, the model neither sees nor chooses. Leave the rest to the model.',
  webhook: 'What is filled in here, the other platform neither sees nor chooses. Leave the rest to it.',
};

const unless: Partial<Record<Draft['kind'], string>> = {
  model: 'The model fills this in',
  webhook: 'The other platform fills this in',
};

const withValue = (input: Record<string, unknown>, name: string, value: string | undefined) => {
  const { [name]: _, ...rest } = input;
  return value === undefined ? rest : { ...rest, [name]: value };
};

/** The kinds of events that the fields come from: those of its triggers, or one to look at. */
const useEventKinds = (agentId: string | undefined) => {
  const { query, types } = useTriggerTypes();
  const [looked, setLooked] = useState('mail.new_email');
  const triggers = useAll('GET /v1/triggers', { agentId }, { enabled: agentId !== undefined });
  const own = new Set(triggers.data?.items.map(({ type }) => type));
  const isOpen = own.size === 0;
  const kinds = types.filter(({ id }) => (isOpen ? id === looked : own.has(id)));
  return { query, triggers, types, looked, setLooked, isOpen, kinds };
};

/** Inputs of the tools that the event, and not the runner, decides. */
export const FixedInputs = (props: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  tools: readonly Tool[];
  problems: readonly FieldProblem[];
  agentId: string | undefined;
}) => {
  const { draft, set, tools, problems, agentId } = props;
  const { query, triggers, types, looked, setLooked, isOpen, kinds } = useEventKinds(agentId);
  const inputs = inputsOf(draft, tools);
  if (inputs.length === 0) return null;
  const accounts = inputs.filter(({ type }) => type === 'account');
  const names = new Set(inputs.filter(({ type }) => type !== 'account').map(({ name }) => name));
  const shown = Object.fromEntries(Object.entries(draft.input).filter(([name]) => names.has(name)));
  const chosen = Object.fromEntries(Object.entries(draft.input).filter(([name]) => !names.has(name)));
  const accountNames = accounts.map(({ name }) => `runner.input.${name}`);
  return (
    <Section title="Inputs" about={about[draft.kind]}>
      <div className="card grid gap-5 p-4">
        <Unread of={query} />
        <Unread of={triggers} />
        {isOpen && (
          <Field label="Fields of the event" hint="Decides which variables are offered. Its triggers decide later.">
            <select className="field" value={looked} onChange={({ target }) => setLooked(target.value)}>
              {types.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </Field>
        )}
        {accounts.map(({ name, integration = '', permissionType }) => (
          <AccountSelect
            key={name}
            label={`Account: ${name}`}
            integration={integration}
            permissionType={permissionType}
            value={typeof draft.input[name] === 'string' ? draft.input[name] : undefined}
            error={problems.find(({ field }) => field === `runner.input.${name}`)?.message}
            onChange={(id) => set({ input: withValue(draft.input, name, id) })}
          />
        ))}
        <SchemaForm
          schema={inputSchema(
            inputs,
            (input) => draft.kind === 'tool' && input.required === true && input.default === undefined,
            unless[draft.kind],
          )}
          value={shown}
          onChange={(input) => set({ input: { ...chosen, ...input } })}
          errors={problems.filter(({ field }) => field.startsWith('runner.input') && !accountNames.includes(field))}
          place="runner.input"
          variables={eventVariables(kinds)}
        />
      </div>
    </Section>
  );
};
