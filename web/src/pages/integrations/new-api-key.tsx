import { type FormEvent, useState } from 'react';
import type { Scope } from '../../../../client/src/index.ts';
import { serverNow } from '../../data/server-time.ts';
import { useWrite } from '../../data/use-write.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { formText } from '../../ui/form-text.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { scopes } from './words.ts';

const day = 86_400_000;
const lives: readonly [string, number | undefined][] = [
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
  ['Never', undefined],
];

/** Makes a key, then shows it this once. */
export const NewApiKey = ({ onDone }: { onDone: () => void }) => {
  const make = useWrite('POST /v1/api-keys', { refresh: ['api-keys'], quiet: true });
  const [chosen, setChosen] = useState<readonly Scope[]>(['read', 'run']);
  const errors = fieldErrors(make.error);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const life = lives[Number(form.get('life'))]?.[1];
    const expiresAt = life === undefined ? {} : { expiresAt: new Date(serverNow() + life * day).toISOString() };
    make.mutate({ body: { name: formText(form, 'name'), scopes: [...chosen], ...expiresAt } });
  };

  if (make.data !== undefined) {
    return (
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <ShownOnce value={make.data.key} what="API key">
          Copy the key of “{make.data.name}” now: only its hash is stored, so it is not shown again.
        </ShownOnce>
        <button type="button" className="button button-main justify-self-end" onClick={onDone}>
          I have stored it
        </button>
      </div>
    );
  }
  return (
    <form onSubmit={submit} className="grid gap-5" aria-busy={make.isPending}>
      <Field label="Name" error={errors['name']} hint="Which program will hold it?">
        <input className="field" name="name" required maxLength={200} autoComplete="off" />
      </Field>
      <CheckList
        legend="What it may do"
        options={scopes.map(([name, words]) => ({
          name,
          words: (
            <>
              <code className="font-mono text-xs">{name}</code>
              <span className="block text-muted">{words}</span>
            </>
          ),
        }))}
        chosen={chosen}
        onChange={setChosen}
        error={errors['scopes']}
      />
      <Field label="Expires after" error={errors['expiresAt']}>
        <select className="field" name="life" defaultValue={1}>
          {lives.map(([words], index) => (
            <option key={words} value={index}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <p role="alert" className="text-sm text-bad empty:hidden">
        {otherError(make.error, ['name', 'scopes', 'expiresAt'])}
      </p>
      <button
        type="submit"
        className="button button-main justify-self-end"
        disabled={make.isPending || chosen.length === 0}
      >
        Make the key
      </button>
    </form>
  );
};
