import { useEffect, useReducer } from 'react';
import type { RunSummary } from '../../../../client/src/index.ts';
import { serverNow } from '../../data/server-time.ts';
import { useSession } from '../../data/session.tsx';
import { duration } from '../../ui/duration.ts';
import { exactTime } from '../../ui/time.tsx';

type Waits = NonNullable<RunSummary['waiting']>;

const nameOf = ({ service }: Waits): string => {
  if (service === undefined) return 'a service';
  return service === 'model' ? 'the model' : `the ${service} service`;
};

/** Until when, counted down before one's eyes. */
const NextTry = ({ at }: { at: string }) => {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(draw, 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((Date.parse(at) - serverNow()) / 1_000);
  const words = seconds < 100 ? `${seconds} s` : duration(seconds * 1_000);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {seconds > 0 ? `next try in ${words}` : 'it is tried again now'}
    </time>
  );
};

/** What a queued run waits for that is not its turn. */
export const Waiting = ({ waits }: { waits: Waits }) => {
  const { workspace } = useSession();
  return (
    <span>
      waits for {nameOf(waits)}, which {waits.code === 'rate_limited' ? 'asks for patience' : 'is away'}; asked{' '}
      {waits.tries === 1 ? 'once' : `${waits.tries} times`},{' '}
      {workspace.stopped ? 'next try after the emergency stop' : <NextTry at={waits.nextTryAt} />}
    </span>
  );
};
