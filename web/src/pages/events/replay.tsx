import { useNavigate } from '@tanstack/react-router';
import { Repeat } from 'lucide-react';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';

/** Starts the agent once more from a stored event; one that did not start it is judged anew, and may be left out again. */
export const Replay = ({ id, hasFired }: { id: string; hasFired: boolean }) => {
  const navigate = useNavigate();
  const replay = useWrite('POST /v1/events/{id}/replay', { refresh: ['events', 'runs', 'overview'] });
  const again = async () => {
    const event = await replay.mutateAsync({ params: { id } });
    if (event.runId !== undefined) await navigate({ to: '/runs/$id', params: { id: event.runId } });
    else await navigate({ to: '/events/$id', params: { id: event.id } });
  };
  return (
    <Confirm
      title={hasFired ? 'Start the agent again from this event?' : 'Judge this event anew?'}
      action={hasFired ? 'Start it again' : 'Judge it anew'}
      tone="main"
      trigger={
        <>
          <Repeat aria-hidden="true" className="size-4" />
          Replay the event
        </>
      }
      onConfirm={again}
    >
      {hasFired ? (
        <>
          <p>The agent runs once more with what was stored, as it is set up now.</p>
          <p>
            Whatever it did the first time may be done a second time: another answer to the same mail, another card.
            What sends still asks for approval as usual.
          </p>
        </>
      ) : (
        <>
          <p>The agent was not started from it. It is judged once more, by the trigger as it is set up now.</p>
          <p>What fits starts the agent; what does not fit is left out again, with the reason.</p>
        </>
      )}
    </Confirm>
  );
};
