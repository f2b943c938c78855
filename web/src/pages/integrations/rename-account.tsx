import { type FormEvent, useState } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';

export const RenameAccount = ({ account, onDone }: { account: Account; onDone: () => void }) => {
  const [name, setName] = useState(account.name);
  const rename = useWrite('PATCH /v1/accounts/{id}', { refresh: ['accounts'], done: 'Renamed.', quiet: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate({ params: { id: account.id }, body: { name } }, { onSuccess: onDone });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Name" error={fieldErrors(rename.error)['name']} hint="Only here; the service is not told.">
        <input
          className="field"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <p role="alert" className="text-sm text-bad empty:hidden">
        {otherError(rename.error, ['name'])}
      </p>
      <button type="submit" className="button button-main justify-self-end" disabled={rename.isPending}>
        Rename
      </button>
    </form>
  );
};
