import { useQueryClient } from '@tanstack/react-query';
import { Pause, Play, Trash2 } from 'lucide-react';
import type { Agent } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { refresh, useAll } from '../../../data/use-read.ts';
import { useWayOn } from '../../../data/use-way-on.ts';
import { useWrite } from '../../../data/use-write.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { StartByHand } from './start-by-hand.tsx';

const Toggle = ({ agent: { id, state } }: { agent: Agent }) => {
  const isPaused = state === 'paused';
  const change = useWrite('PATCH /v1/agents/{id}', {
    refresh: ['agents', 'overview', 'triggers'],
    done: isPaused ? 'The agent is enabled.' : 'The agent is paused: nothing new starts.',
  });
  const Icon = isPaused ? Play : Pause;
  return (
    <button
      type="button"
      className={`button ${isPaused ? 'button-main' : 'button-quiet'}`}
      disabled={change.isPending}
      onClick={() => change.mutate({ params: { id }, body: { state: isPaused ? 'enabled' : 'paused' } })}
    >
      <Icon aria-hidden="true" className="size-4" />
      {isPaused ? 'Enable' : 'Pause'}
    </button>
  );
};

const Delete = ({ agent: { id, name } }: { agent: Agent }) => {
  const wayOn = useWayOn();
  const queries = useQueryClient();
  const triggers = useAll('GET /v1/triggers', { agentId: id });
  const names = triggers.data?.items.map((trigger) => `“${trigger.name}”`);
  const remove = useWrite('DELETE /v1/agents/{id}', { done: 'The agent is deleted.' });
  return (
    <Confirm
      trigger={
        <>
          <Trash2 aria-hidden="true" className="size-4" />
          Delete
        </>
      }
      className="button button-bad"
      title={`Delete “${name}”?`}
      action="Delete the agent"
      onConfirm={async () => {
        const leadTo = wayOn();
        await remove.mutateAsync({ params: { id } });
        await leadTo({ to: '/agents' });
        // Only now: this page would ask for what is gone.
        await refresh(queries, ['agents', 'overview', 'triggers', 'runs']);
      }}
    >
      <p>
        {names === undefined && 'Its triggers go with it; they could not be read yet.'}
        {names?.length === 0 && 'It has no triggers.'}
        {names !== undefined &&
          names.length > 0 &&
          `Its ${names.length === 1 ? 'trigger goes' : `${names.length} triggers go`} with it: ${names.join(', ')}.`}{' '}
        Mail or board events no longer start it.
      </p>
      <p>
        Runs that have begun go on to their end; those that wait for their turn are cancelled. Tools and past runs stay.
      </p>
    </Confirm>
  );
};

/** What can be done with an agent as a whole. */
export const AgentActions = ({ agent }: { agent: Agent }) => {
  const { may } = useSession();
  if (!may('builder')) return null;
  return (
    <>
      <StartByHand agent={agent} />
      <Toggle agent={agent} />
      <Delete agent={agent} />
    </>
  );
};
