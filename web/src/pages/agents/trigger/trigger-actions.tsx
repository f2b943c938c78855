import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pause, Pencil, Trash2 } from 'lucide-react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { refresh } from '../../../data/use-read.ts';
import { useWayOn } from '../../../data/use-way-on.ts';
import { useWrite } from '../../../data/use-write.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { ResumeTrigger } from './resume-trigger.tsx';
import { TestEvent } from './test-event.tsx';

const touched = ['triggers', 'events', 'overview'];

/** What can be done with a trigger. */
export const TriggerActions = ({ trigger, agentName }: { trigger: Trigger; agentName: string | undefined }) => {
  const { may } = useSession();
  const wayOn = useWayOn();
  const queries = useQueryClient();
  const change = useWrite('PATCH /v1/triggers/{id}', { refresh: touched, done: 'Paused.' });
  const remove = useWrite('DELETE /v1/triggers/{id}', { done: 'The trigger is deleted.' });
  const { id, agentId, state } = trigger;
  if (!may('builder')) return null;
  return (
    <>
      {state === 'paused' ? (
        <ResumeTrigger trigger={trigger} />
      ) : (
        <button
          type="button"
          className="button button-quiet"
          disabled={change.isPending}
          onClick={() => change.mutate({ params: { id }, body: { state: 'paused' } })}
        >
          <Pause aria-hidden="true" className="size-4" />
          Pause
        </button>
      )}
      <TestEvent trigger={trigger} />
      <Link to={`/agents/${agentId}`} search={{ trigger: id }} className="button button-quiet">
        <Pencil aria-hidden="true" className="size-4" />
        Edit
      </Link>
      <Confirm
        trigger={
          <>
            <Trash2 aria-hidden="true" className="size-4" />
            Delete
          </>
        }
        className="button button-bad"
        title={`Delete “${trigger.name}”?`}
        action="Delete the trigger"
        onConfirm={async () => {
          const leadTo = wayOn();
          await remove.mutateAsync({ params: { id } });
          await leadTo({ to: `/agents/${agentId}` });
          // Only now: this page would ask for what is gone.
          await refresh(queries, touched);
        }}
      >
        <p>{agentName ?? 'The agent'} is no longer started by it. What is under way goes on to its end.</p>
        <p>Its past events stay in the history. This cannot be undone.</p>
      </Confirm>
    </>
  );
};
