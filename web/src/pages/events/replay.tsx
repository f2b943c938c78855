import { useNavigate } from '@tanstack/react-router';
import { Repeat } from 'lucide-react';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';

/** Starts the agent once more from a stored event. */
export const Replay = ({ id }: { id: string }) => {
  const navigate = useNavigate();
  const replay = useWrite('POST /v1/events/{id}/replay', { refresh: ['events', 'runs', 'overview'] });
  const again = async () => {
    const event = await replay.mutateAsync({ params: { id } });
    if (event.runId !== undefined) await navigate({ to: '/runs/$id', params: { id: event.runId } });
    else await navigate({ to: '/events/$id', params: { id: event.id } });
  };
  return (
    <Confirm
      title="Start the agent again from this event?"
      action="Start it again"
      tone="main"
      trigger={
        <>
          <Repeat aria-hidden="true" className="size-4" />
          Replay the event
        </>
      }
      onConfirm={again}
    >
      <p>The agent runs once more with what was stored, as it is set up now.</p>
      <p>
        Whatever it did the first time may be done a second time: another answer to the same mail, another card. What
        sends still asks for approval as usual.
      </p>
    </Confirm>
  );
};
