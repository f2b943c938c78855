import type { EventSummary } from '../../../../client/src/index.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';

const Words = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <>
      : <VisibleText text={text} />
    </>
  );

/** What became of an event, in a sentence. */
export const OutcomeWords = ({ event }: { event: EventSummary }) => {
  const { outcome, clause, reason, retry } = event;
  if (outcome === 'fired') return <span>It started the agent.</span>;
  if (outcome === 'filtered')
    return (
      <span>
        The configuration did not admit it
        <Words text={clause ?? reason} />
      </span>
    );
  if (outcome === 'skipped')
    return (
      <span>
        Left out
        <Words text={reason} />
      </span>
    );
  return (
    <span>
      {retry?.state === 'dead' ? `Given up after ${retry.attempts} tries` : `Failed, try ${retry?.attempts ?? 1}`}
      <Words text={reason} />
      {retry?.state === 'retrying' && retry.nextTryAt !== null && (
        <>
          {' '}
          Tried again <Time at={retry.nextTryAt} />.
        </>
      )}
    </span>
  );
};

export const deliveryWords: Record<EventSummary['delivery'], string> = {
  live: 'told by the service',
  catchup: 'found by looking',
  test: 'a test',
  replay: 'a replay',
};
