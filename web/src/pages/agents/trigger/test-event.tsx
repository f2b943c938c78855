import { FlaskConical } from 'lucide-react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { useWayOn } from '../../../data/use-way-on.ts';
import { useWrite } from '../../../data/use-write.ts';
import { Confirm } from '../../../ui/confirm.tsx';

/** Starts the agent with a sample, marked as a test, and leads to the run. */
export const TestEvent = ({ trigger: { id } }: { trigger: Trigger }) => {
  const wayOn = useWayOn();
  const test = useWrite('POST /v1/triggers/{id}/test', { refresh: ['events', 'runs'] });
  return (
    <Confirm
      trigger={
        <>
          <FlaskConical aria-hidden="true" className="size-4" />
          Send a test event
        </>
      }
      title="Send a test event"
      action="Start the agent with a sample"
      tone="main"
      onConfirm={async () => {
        const leadTo = wayOn();
        const event = await test.mutateAsync({ params: { id } });
        await leadTo({ to: event.runId === undefined ? `/events/${event.id}` : `/runs/${event.runId}` });
      }}
    >
      <p>
        The agent really starts, with a made-up sample that is marked as a test. What it writes or sends is real; sends
        wait for approval as always.
      </p>
      <p>The sample names a mail or card that does not exist, so steps that look it up say so.</p>
    </Confirm>
  );
};
