/** Says that a trigger does not bring what the agent takes from its events, while it can still be put right. */
export const UnfitEvent = ({ missing, title }: { missing: readonly string[]; title: string }) =>
  missing.length > 0 && (
    <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn [overflow-wrap:anywhere]">
      Each run that it starts would fail: {title} does not tell what the agent’s inputs take from the event,{' '}
      {missing.join(', ')}. Change the inputs, or choose another kind of trigger.
    </p>
  );
