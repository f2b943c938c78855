import { Repeat } from 'lucide-react';
import { useWayOn } from '../../data/use-way-on.ts';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';

/** What became of it the first time; `heldBack`: it was admitted, and only a pause kept the agent from it. */
export type Before = 'fired' | 'heldBack' | 'notStarted';

const words: Record<Before, { title: string; action: string; about: readonly string[] }> = {
  fired: {
    title: 'Start the agent again from this event?',
    action: 'Start it again',
    about: [
      'The agent runs once more with what was stored, as it is set up now.',
      'Whatever it did the first time may be done a second time: another answer to the same mail, another card. What sends still asks for approval as usual.',
    ],
  },
  heldBack: {
    title: 'Start the agent from this event?',
    action: 'Start it',
    about: [
      'Only a pause kept the agent from it. It runs with what was found then, as it is set up now; nothing is judged anew.',
      'While the agent is paused, the event is left out again.',
    ],
  },
  notStarted: {
    title: 'Judge this event anew?',
    action: 'Judge it anew',
    about: [
      'The agent was not started from it. It is judged once more, by the trigger as it is set up now.',
      'What fits starts the agent; what does not fit is left out again, with the reason.',
    ],
  },
};

/** Starts the agent from a stored event; one that was not admitted is judged anew, and may be left out again. */
export const Replay = ({ id, before }: { id: string; before: Before }) => {
  const { title, action, about } = words[before];
  const wayOn = useWayOn();
  const replay = useWrite('POST /v1/events/{id}/replay', { refresh: ['events', 'runs', 'overview'] });
  const again = async () => {
    const leadTo = wayOn();
    const event = await replay.mutateAsync({ params: { id } });
    if (event.runId !== undefined) await leadTo({ to: '/runs/$id', params: { id: event.runId } });
    else await leadTo({ to: '/events/$id', params: { id: event.id } });
  };
  return (
    <Confirm
      title={title}
      action={action}
      tone="main"
      trigger={
        <>
          <Repeat aria-hidden="true" className="size-4" />
          Replay the event
        </>
      }
      onConfirm={again}
    >
      {about.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </Confirm>
  );
};
