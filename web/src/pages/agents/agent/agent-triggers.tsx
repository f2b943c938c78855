import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { Agent, Trigger } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useAll } from '../../../data/use-read.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Section } from '../../../ui/page.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { TriggerForm } from '../trigger-form/trigger-form.tsx';
import { useTriggerDraft } from '../trigger-form/use-trigger-draft.ts';
import { TriggerRow } from './trigger-row.tsx';

const urgency: Record<Trigger['state'], number> = { broken: 0, paused: 1, enabled: 1 };

/** What starts the agent. What is broken stands first. The open form stands in the address, so that back and reload work. */
export const AgentTriggers = ({ agent }: { agent: Agent }) => {
  const { id } = agent;
  const { may } = useSession();
  const navigate = useNavigate();
  const { trigger: open } = useSearch({ strict: false }) as { trigger?: string };
  const triggers = useAll('GET /v1/triggers', { agentId: id });
  const edited = triggers.data?.items.find((trigger) => trigger.id === open);
  const { forget } = useTriggerDraft(id, open);
  const show = (trigger: string | undefined) => {
    forget();
    void navigate({ to: `/agents/${id}`, search: trigger === undefined ? {} : { trigger } });
  };
  return (
    <Section
      title="Triggers"
      about="What starts it. It can be started by hand at any time."
      actions={
        may('builder') && (
          <button type="button" className="button button-quiet" onClick={() => show('new')}>
            <Plus aria-hidden="true" className="size-4" />
            Add a trigger
          </button>
        )
      }
    >
      <Shown of={triggers} loading="Looking for its triggers" rows={1}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="card p-5 text-sm text-muted">No trigger yet: it starts only by hand.</p>
          ) : (
            <ul aria-label="Triggers" className="card divide-y divide-line">
              {items
                .toSorted((one, other) => urgency[one.state] - urgency[other.state])
                .map((trigger) => (
                  <TriggerRow key={trigger.id} trigger={trigger} onEdit={() => show(trigger.id)} />
                ))}
            </ul>
          )
        }
      </Shown>
      <Dialog
        title={edited === undefined ? 'Add a trigger' : `Edit “${edited.name}”`}
        open={may('builder') && (open === 'new' || edited !== undefined)}
        onClose={() => show(undefined)}
        size="large"
        isInAddress
      >
        <TriggerForm
          agentId={id}
          {...(edited === undefined ? {} : { trigger: edited })}
          onDone={() => show(undefined)}
        />
      </Dialog>
    </Section>
  );
};
