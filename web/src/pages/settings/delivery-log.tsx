import { ChevronRight, RotateCcw } from 'lucide-react';
import { useEffect } from 'react';
import type { WebhookDelivery } from '../../../../client/src/index.ts';
import { serverNow } from '../../data/server-time.ts';
import { useList } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Json } from '../../ui/code.tsx';
import { duration } from '../../ui/duration.ts';
import { Listed } from '../../ui/listed.tsx';
import { Time } from '../../ui/time.tsx';
import { noticeTypes } from './words.ts';

const wordsOf = new Map<string, string>([...noticeTypes, ['webhook.test', 'A test, sent by hand']]);

const answerOf = ({ tries }: WebhookDelivery): string => {
  const last = tries.at(-1);
  if (last === undefined) return 'not tried yet';
  return last.status === undefined ? (last.error ?? 'no answer') : `answered ${last.status}`;
};

/** A paused webhook is brought nothing, whatever is due. */
const NextTry = ({ at, isPaused }: { at: string | null; isPaused: boolean }) => {
  if (at === null) return null;
  if (isPaused) return <> · waits until it is resumed</>;
  if (Date.parse(at) < serverNow() + 5_000) return <> · is tried now</>;
  return (
    <>
      {' '}
      · next try <Time at={at} />
    </>
  );
};

const Delivery = ({ delivery, isPaused }: { delivery: WebhookDelivery; isPaused: boolean }) => {
  const { id, webhookId, payload, state, attempts, nextTryAt, tries, createdAt, messageId } = delivery;
  const resend = useWrite('POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend', {
    refresh: ['webhooks'],
    done: 'On its way once more.',
  });
  return (
    <li className="row-lazy">
      <details className="group">
        <summary className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 py-2">
          <ChevronRight aria-hidden="true" className="size-4 text-muted group-open:rotate-90" />
          <span className="grid room-36 flex-1">
            <span className="font-medium">{wordsOf.get(payload.type) ?? payload.type}</span>
            <span className="font-mono text-xs text-muted">{payload.type}</span>
          </span>
          <span className="untrusted text-xs text-muted">
            {answerOf(delivery)} · {attempts} {attempts === 1 ? 'try' : 'tries'}
            <NextTry at={nextTryAt} isPaused={isPaused} />
          </span>
          <span className="text-xs text-muted">
            <Time at={createdAt} />
          </span>
          <StateBadge state={state} />
        </summary>
        <div className="grid gap-3 pb-4">
          <ol className="grid gap-1 text-xs text-muted">
            {tries.map(({ at, ms, status, error, response }, index) => (
              <li key={at} className="untrusted">
                Try {index + 1}, <Time at={at} />: {status ?? error} after {duration(ms)}
                {response !== undefined && response !== '' && <> · “{response}”</>}
              </li>
            ))}
          </ol>
          <Json value={payload} label={`Content of ${messageId}`} />
          <button
            type="button"
            className="button button-quiet justify-self-start"
            disabled={resend.isPending || isPaused}
            onClick={() => resend.mutate({ params: { id: webhookId, deliveryId: id } })}
          >
            <RotateCcw aria-hidden="true" className="size-4" />
            {state === 'pending' ? 'Send now' : 'Send again'}
          </button>
        </div>
      </details>
    </li>
  );
};

const lookAgainMs = 2_000;

export const DeliveryLog = ({ webhookId, isPaused }: { webhookId: string; isPaused: boolean }) => {
  const list = useList('GET /v1/webhooks/{id}/deliveries', { limit: 20 }, { id: webhookId });
  const { refetch } = list;
  const isWaiting = !isPaused && list.items.some(({ state }) => state === 'pending');
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void refetch({ cancelRefetch: false }), lookAgainMs);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);
  return (
    <Listed
      of={list}
      loading="Looking at the deliveries"
      rows={2}
      empty={<p className="py-2 text-muted">Nothing was sent yet.</p>}
    >
      <ul className="divide-y divide-line border-t border-line">
        {list.items.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} isPaused={isPaused} />
        ))}
      </ul>
    </Listed>
  );
};
