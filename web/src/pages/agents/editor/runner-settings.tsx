import { Bot, type LucideIcon, Webhook, Wrench } from 'lucide-react';
import type { Tool } from '../../../../../client/src/index.ts';
import { Choice } from '../../../forms/choice.tsx';
import { Field } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import type { Draft, RunnerKind } from './agent-draft.ts';
import { ModelSettings } from './model-settings.tsx';
import { WebhookSettings } from './webhook-settings.tsx';

const kinds: readonly { kind: RunnerKind; title: string; about: string; icon: LucideIcon }[] = [
  { kind: 'model', title: 'A model', about: 'Reads what happened and decides which tools to use.', icon: Bot },
  { kind: 'tool', title: 'One tool', about: 'Carried out the same way for each event. No model.', icon: Wrench },
  { kind: 'webhook', title: 'Another platform', about: 'Is told by a signed request, and calls back.', icon: Webhook },
];

type Props = {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  tools: readonly Tool[];
  at: (place: string) => string | undefined;
  agentId?: string;
};

/** Who carries the agent out. */
export const RunnerSettings = ({ draft, set, tools, at, agentId }: Props) => (
  <Section title="Runner" about="Who carries it out.">
    <div className="grid gap-5">
      <fieldset className="grid gap-2 sm:grid-cols-3">
        <legend className="sr-only">Runner</legend>
        {kinds.map(({ kind, title, about, icon: Icon }) => (
          <label
            key={kind}
            className="card flex cursor-pointer gap-3 p-3 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="runner"
              className="sr-only"
              checked={draft.kind === kind}
              onChange={() => set({ kind })}
            />
            <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="grid gap-0.5">
              <span className="text-sm font-medium">{title}</span>
              <span className="text-xs text-muted">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {draft.kind === 'model' && (
        <ModelSettings draft={draft} set={set} at={at} {...(agentId === undefined ? {} : { agentId })} />
      )}
      {draft.kind === 'tool' && (
        <Field label="Tool" error={at('runner.toolId')}>
          <Choice
            label="Tool"
            required
            value={draft.toolId}
            none="Choose a tool …"
            choices={tools.map(({ id, name }) => [id, name])}
            onChoose={(toolId) => set({ toolId })}
          />
        </Field>
      )}
      {draft.kind === 'webhook' && (
        <WebhookSettings draft={draft} set={set} at={at} {...(agentId === undefined ? {} : { agentId })} />
      )}
    </div>
  </Section>
);
