import { FlaskConical } from 'lucide-react';
import { useRead } from '../../data/use-read.ts';

/** Said above all else of a run that a test event started, or a replay of one: what it could not find was never there. */
export const ByTest = ({ eventId }: { eventId: string }) => {
  const { data: event } = useRead('GET /v1/events/{id}', { params: { id: eventId } });
  if (event?.isSample !== true) return null;
  return (
    <p className="flex gap-2 rounded-xl bg-info-soft p-4 text-sm text-info">
      <FlaskConical aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>
        {event.delivery === 'replay' ? 'A replay of a test event' : 'A test event'} started this. Its mail or card is
        made up, so a step that looks it up finds nothing; that says nothing about what really happens.
      </span>
    </p>
  );
};
