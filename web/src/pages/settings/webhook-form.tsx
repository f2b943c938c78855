import { type FormEvent, useState } from 'react';
import type { Webhook } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { formText } from '../../ui/form-text.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { noticeTypes } from './words.ts';

type Kind = Webhook['events'][number];

/** Makes a webhook and shows its secret once, or changes one. */
export const WebhookForm = ({ webhook, onDone }: { webhook?: Webhook; onDone: () => void }) => {
  const make = useWrite('POST /v1/webhooks', { refresh: ['webhooks'], quiet: true });
  const change = useWrite('PATCH /v1/webhooks/{id}', { refresh: ['webhooks'], done: 'Saved.', quiet: true });
  const [events, setEvents] = useState<readonly Kind[]>(webhook?.events ?? ['approval.requested']);
  const save = webhook === undefined ? make : change;
  const errors = fieldErrors(save.error);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { url: formText(form, 'url'), description: formText(form, 'description'), events: [...events] };
    if (webhook === undefined) make.mutate({ body });
    else change.mutate({ params: { id: webhook.id }, body }, { onSuccess: onDone });
  };

  if (make.data !== undefined) {
    return (
      <div className="grid gap-5">
        <ShownOnce value={make.data.secret} what="signing secret">
          Give this secret to the receiver, which checks signatures with it. It is not shown again.
        </ShownOnce>
        <button type="button" className="button button-main justify-self-end" onClick={onDone}>
          I have stored it
        </button>
      </div>
    );
  }
  return (
    <form onSubmit={submit} className="grid gap-5" aria-busy={save.isPending}>
      <Field label="Address" error={errors['url']} hint="https, and reachable from the internet.">
        <input
          className="field font-mono"
          type="url"
          name="url"
          required
          placeholder="https://example.com/hooks/switchboard"
          defaultValue={webhook?.url}
        />
      </Field>
      <Field label="Description" optional error={errors['description']}>
        <input className="field" name="description" maxLength={200} defaultValue={webhook?.description} />
      </Field>
      <CheckList
        legend="What it is told"
        options={noticeTypes.map(([name, words]) => ({
          name,
          words: (
            <>
              {words} <code className="block font-mono text-xs text-muted">{name}</code>
            </>
          ),
        }))}
        chosen={events}
        onChange={setEvents}
        error={errors['events']}
      />
      <p role="alert" className="text-sm text-bad empty:hidden">
        {otherError(save.error, ['url', 'description', 'events'])}
      </p>
      <button
        type="submit"
        className="button button-main justify-self-end"
        disabled={save.isPending || events.length === 0}
      >
        {webhook === undefined ? 'Make the webhook' : 'Save'}
      </button>
    </form>
  );
};
