import type { Agent } from '../../../../client/src/index.ts';
import { missingFields } from './missing-fields.ts';
import type { TriggerType } from './trigger-types.ts';

/** Says that a trigger does not bring what the agent takes from its events, while it can still be put right. */
export const UnfitEvent = ({ agent, type }: { agent: Agent | undefined; type: TriggerType | undefined }) => {
  const missing = missingFields(agent?.runner.input ?? {}, type?.event ?? {});
  if (type === undefined || missing.length === 0) return null;
  return (
    <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn [overflow-wrap:anywhere]">
      Each run that it starts would fail: {type.title} does not tell what the agent’s inputs take from the event,{' '}
      {missing.join(', ')}. Change the inputs, or choose another kind of trigger.
    </p>
  );
};
