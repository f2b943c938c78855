import { type FormEvent, useState } from 'react';
import type { Integration } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { CopyButton } from '../../ui/code.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Time } from '../../ui/time.tsx';

/** A link that lets somebody else connect their account here, such as an end user of an embedding platform. */
export const EndUserLink = ({ integration }: { integration: Integration }) => {
  const make = useWrite('POST /v1/connect', { quiet: true });
  const [forWhom, setForWhom] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const endUserId = forWhom.trim();
    make.mutate({ body: { integration: integration.name, ...(endUserId === '' ? {} : { endUserId }) } });
  };
  return (
    <div className="grid gap-5 text-sm">
      <p className="text-muted">
        Whoever opens the link signs in at {integration.title.toLowerCase()} and grants access; the account then belongs
        to this workspace. It works once, in one browser.
      </p>
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label="End user"
          optional
          hint="Your own id of this person. Runs for one end user never see the accounts of another."
          error={fieldErrors(make.error)['endUserId']}
        >
          <input
            className="field"
            maxLength={200}
            autoComplete="off"
            value={forWhom}
            onChange={(event) => setForWhom(event.target.value)}
          />
        </Field>
        <p role="alert" className="text-bad empty:hidden">
          {otherError(make.error, ['endUserId'])}
        </p>
        <button type="submit" className="button button-main justify-self-start" disabled={make.isPending}>
          {make.data === undefined ? 'Make a link' : 'Make another link'}
        </button>
      </form>
      {make.data !== undefined && (
        <div role="status" className="grid gap-2 border-t border-line pt-4">
          <div className="grid gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
            <input className="field font-mono text-xs" readOnly value={make.data.url} aria-label="Link" />
            <CopyButton text={make.data.url} what="the link" />
          </div>
          <p className="text-muted">
            It expires <Time at={make.data.expiresAt} />.
          </p>
        </div>
      )}
    </div>
  );
};
