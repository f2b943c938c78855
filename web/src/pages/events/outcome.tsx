import { Link } from '@tanstack/react-router';
import type { EventSummary } from '../../../../client/src/index.ts';
import { Badge } from '../../ui/badge.tsx';
import { OwnWords } from '../../ui/own-words.tsx';
import { Time } from '../../ui/time.tsx';
import { useSettingWords } from '../agents/setting-words.ts';

const Words = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <>
      : <OwnWords text={text} />
    </>
  );

const replayWords: Record<EventSummary['outcome'], string> = {
  fired: 'A replay started the agent',
  filtered: 'A replay was not admitted',
  skipped: 'A replay was left out',
  failed: 'A replay failed, too',
};

/** What was given up needs somebody, until it is replayed. */
export const GivenUp = ({ event: { retry, replayedAs } }: { event: EventSummary }) => {
  if (retry?.state !== 'dead') return null;
  return replayedAs === undefined ? <Badge tone="bad">Dead</Badge> : <Badge>Replayed</Badge>;
};

const tries = (count: number): string => (count === 1 ? '1 try' : `${count} tries`);

/** What became of an event, in a sentence. */
export const OutcomeWords = ({ event }: { event: EventSummary }) => {
  const { outcome, clause, reason, retry, replayedAs } = event;
  const settingWords = useSettingWords();
  if (outcome === 'fired') return <span>It started the agent.</span>;
  if (outcome === 'filtered')
    return (
      <span>
        The configuration did not admit it
        <Words text={clause === undefined ? reason : settingWords(clause)} />
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
      {retry?.state === 'dead' ? `Given up after ${tries(retry.attempts)}` : `Failed, try ${retry?.attempts ?? 1}`}
      <Words text={reason} />
      {retry?.state === 'retrying' && retry.nextTryAt !== null && (
        <>
          {' '}
          Tried again <Time at={retry.nextTryAt} />.
        </>
      )}
      {replayedAs !== undefined && (
        <>
          {' '}
          <Link to="/events/$id" params={{ id: replayedAs.id }} className="link relative z-10">
            {replayWords[replayedAs.outcome]}
          </Link>
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
