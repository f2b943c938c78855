import { useQueryClient } from '@tanstack/react-query';
import type { Agent } from '../../../../../client/src/index.ts';
import { api } from '../../../data/api.ts';
import { useAll, useRead } from '../../../data/use-read.ts';
import { Field } from '../../../ui/field.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { Unread } from '../../../ui/unread.tsx';
import { fillFromEvent } from './fill-from-event.ts';

/** Takes what a real event brought instead of typing it. */
export const RecentEventChoice = (props: { agent: Agent; onFill: (input: Record<string, unknown>) => void }) => {
  const { agent, onFill } = props;
  const queries = useQueryClient();
  const { say } = useToast();
  const triggers = useAll('GET /v1/triggers', { agentId: agent.id });
  const triggerId = triggers.data?.items[0]?.id;
  const query = { query: { triggerId: triggerId ?? '', limit: 20 } };
  const events = useRead('GET /v1/events', query, { enabled: triggerId !== undefined });
  const items = events.data?.items ?? [];
  if (items.length === 0)
    return (
      <div className="grid gap-3 empty:hidden">
        <Unread of={triggers} />
        <Unread of={events} />
      </div>
    );

  const take = async (id: string) => {
    try {
      const event = await queries.fetchQuery({
        queryKey: ['GET /v1/events/{id}', { params: { id } }],
        queryFn: () => api.call('GET /v1/events/{id}', { params: { id } }),
      });
      onFill(fillFromEvent(agent.runner.input ?? {}, { ...event, eventId: event.upstreamId }));
    } catch (error) {
      say((error as Error).message, 'bad');
    }
  };
  return (
    <Field label="Fill in from" hint="What a recent event of its first trigger brought.">
      <select
        className="field"
        defaultValue=""
        onChange={({ target }) => target.value !== '' && void take(target.value)}
      >
        <option value="">Nothing: I type it</option>
        {items.map(({ id, summary }) => (
          <option key={id} value={id}>
            {summary}
          </option>
        ))}
      </select>
    </Field>
  );
};
