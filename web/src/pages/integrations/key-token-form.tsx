import { type FormEvent, useState } from 'react';
import type { Integration } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { formText } from '../../ui/form-text.ts';
import { KeyTokenGuide } from './key-token-guide.tsx';

type Way = Integration['auth'][number];

const shown = ['auth.key', 'auth.token', 'auth.secret', 'name'];

const hidden = { className: 'field font-mono', autoComplete: 'off', spellCheck: false } as const;

/** An API key and a token, typed in: the service is asked whose they are before anything is stored. */
export const KeyTokenForm = (props: {
  way: Way;
  use: 'account' | 'secret';
  integration: string;
  onDone: (id: string) => void;
}) => {
  const { way, use, integration, onDone } = props;
  const [key, setKey] = useState('');
  const account = useWrite('POST /v1/accounts', { refresh: ['accounts', 'triggers', 'overview'], quiet: true });
  const secret = useWrite('POST /v1/secrets', { refresh: ['secrets'], done: 'Stored.', quiet: true });
  const save = use === 'account' ? account : secret;
  const errors = fieldErrors(save.error);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [appSecret, name] = [formText(form, 'secret'), formText(form, 'name')];
    const auth = {
      type: way.type,
      key: key.trim(),
      token: formText(form, 'token'),
      ...(appSecret && { secret: appSecret }),
    };
    save.mutate(
      { body: { integration, auth, ...(name === '' ? {} : { name }) } },
      { onSuccess: ({ id }) => onDone(id) },
    );
  };

  return (
    <form onSubmit={submit} className="grid gap-6 text-sm lg:grid-cols-2" aria-busy={save.isPending}>
      <KeyTokenGuide guide={way.guide} apiKey={key.trim()} />
      <div className="grid content-start gap-4">
        <Field label="API key" error={errors['auth.key']}>
          <input {...hidden} name="key" required value={key} onChange={(event) => setKey(event.target.value)} />
        </Field>
        <Field label="Token" error={errors['auth.token']}>
          <input {...hidden} name="token" required type="password" />
        </Field>
        <Field
          label="App secret"
          optional
          error={errors['auth.secret']}
          hint="With it, notifications of the board are verified by their signature. Without it, each one is read back from the service."
        >
          <input {...hidden} name="secret" type="password" />
        </Field>
        <Field label="Name" optional error={errors['name']} hint="How you recognise it in lists.">
          <input className="field" name="name" maxLength={200} autoComplete="off" />
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {otherError(save.error, shown)}
        </p>
        <button type="submit" className="button button-main justify-self-start" disabled={save.isPending}>
          {save.isPending ? 'Asking the service …' : use === 'account' ? 'Connect' : 'Store'}
        </button>
      </div>
    </form>
  );
};
