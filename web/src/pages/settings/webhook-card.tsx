import { ChevronRight, Pause, Pencil, Play, RotateCw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Webhook } from '../../../../client/src/index.ts';
import { serverNow } from '../../data/server-time.ts';
import { useWrite } from '../../data/use-write.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { exactTime, Time } from '../../ui/time.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** One webhook: where, what it is told, how it fares, and what was sent. */
export const WebhookCard = ({ webhook }: { webhook: Webhook }) => {
  const { id, url, description, events, state, reason, failingSince, previousSecretUntil } = webhook;
  const [editing, setEditing] = useState(false);
  const [logOpen, setLogOpen] = useState(false);
  const params = { id };
  const test = useWrite('POST /v1/webhooks/{id}/test', {
    refresh: ['webhooks'],
    done: 'A webhook.test is on its way.',
  });
  const change = useWrite('PATCH /v1/webhooks/{id}', { refresh: ['webhooks'] });
  const rotate = useWrite('POST /v1/webhooks/{id}/rotate', { refresh: ['webhooks'] });
  const remove = useWrite('DELETE /v1/webhooks/{id}', { refresh: ['webhooks'], done: 'Deleted.' });
  const isPaused = state === 'paused';
  return (
    <article aria-label={url} className="card grid gap-4 p-5 text-sm">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1">
          <h3 className="untrusted font-mono text-sm font-medium tracking-normal">{url}</h3>
          {description !== '' && <p className="untrusted text-muted">{description}</p>}
        </div>
        <StateBadge state={state} />
      </header>
      <p className="flex flex-wrap gap-1.5">
        {events.map((event) => (
          <Badge key={event}>{event}</Badge>
        ))}
      </p>
      {reason !== undefined && <p className="untrusted rounded-lg bg-bad-soft p-3 text-bad">{reason}</p>}
      {failingSince !== undefined && (
        <p className="rounded-lg bg-warn-soft p-3 text-warn">
          Nothing has been taken since {exactTime(failingSince)}. After five days it is paused by itself.
        </p>
      )}
      {previousSecretUntil !== undefined && Date.parse(previousSecretUntil) > serverNow() && (
        <p className="text-muted">
          The secret before still signs, too; that ends <Time at={previousSecretUntil} />.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className="button button-quiet"
          disabled={test.isPending || isPaused}
          onClick={() => test.mutate({ params }, { onSuccess: () => setLogOpen(true) })}
        >
          <Send aria-hidden="true" className="size-4" />
          Send a test
        </button>
        <button type="button" className="button button-quiet" onClick={() => setEditing(true)}>
          <Pencil aria-hidden="true" className="size-4" />
          Change
        </button>
        <button
          type="button"
          className="button button-quiet"
          disabled={change.isPending}
          onClick={() => change.mutate({ params, body: { state: isPaused ? 'enabled' : 'paused' } })}
        >
          {isPaused ? <Play aria-hidden="true" className="size-4" /> : <Pause aria-hidden="true" className="size-4" />}
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <Confirm
          trigger={
            <>
              <RotateCw aria-hidden="true" className="size-4" />
              New secret
            </>
          }
          title="Give it a new secret?"
          action="Make a new secret"
          tone="main"
          onConfirm={() => rotate.mutateAsync({ params })}
        >
          <p>
            For 24 hours both secrets sign, so that the receiver can change without a gap. Then only the new one does.
          </p>
        </Confirm>
        <Confirm
          trigger={
            <>
              <Trash2 aria-hidden="true" className="size-4" />
              Delete
            </>
          }
          title="Delete this webhook?"
          action="Delete"
          className="button button-bad"
          onConfirm={() => remove.mutateAsync({ params })}
        >
          <p>
            This address is told nothing any more, and its delivery log is deleted. What waits to be sent is dropped.
          </p>
        </Confirm>
      </div>
      <details open={logOpen} onToggle={(event) => setLogOpen(event.currentTarget.open)}>
        <summary className="flex min-h-10 cursor-pointer items-center gap-2 font-medium">
          <ChevronRight aria-hidden="true" className={`size-4 text-muted ${logOpen ? 'rotate-90' : ''}`} />
          Deliveries
        </summary>
        {logOpen && <DeliveryLog webhookId={id} isPaused={isPaused} />}
      </details>
      <Dialog title="Change the webhook" open={editing} onClose={() => setEditing(false)}>
        <WebhookForm webhook={webhook} onDone={() => setEditing(false)} />
      </Dialog>
      <Dialog title="The new secret" open={rotate.data !== undefined} onClose={() => rotate.reset()}>
        <ShownOnce value={rotate.data?.secret ?? ''} what="signing secret">
          Give this secret to the receiver. It is not shown again.
        </ShownOnce>
      </Dialog>
    </article>
  );
};
