import type { FormEvent } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Retention } from './retention.tsx';
import { useStillSo } from './use-still-so.ts';

const originsOf = ({ allowedReturnOrigins }: Settings): string => allowedReturnOrigins.join('\n');

const ReturnOrigins = ({ settings }: { settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const before = originsOf(settings);
  const isStillSo = useStillSo(originsOf, before);
  const list = useTyped(before);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await isStillSo())) return;
    const allowedReturnOrigins = list.value.split(/\s+/).filter((line) => line !== '');
    save.mutate({ body: { allowedReturnOrigins } }, { onSuccess: list.forget });
  };
  return (
    <Section
      title="Allowed return origins"
      about="Where people may be sent after connecting an account by a link, besides these pages."
    >
      <form onSubmit={(event) => void submit(event)} className="card grid max-w-2xl gap-4 p-5">
        <Field
          label="One origin per line"
          hint="Such as https://app.example.com, without a path."
          error={Object.values(fieldErrors(save.error))[0]}
        >
          <textarea
            className="field min-h-24 py-2 font-mono"
            spellCheck={false}
            disabled={!may('owner')}
            value={list.value}
            onChange={(event) => list.set(event.target.value)}
          />
        </Field>
        {list.isOld && !save.isPending && <ChangedMeanwhile saved={before} onTake={list.forget} />}
        {may('owner') && (
          <button type="submit" className="button button-main justify-self-start" disabled={save.isPending}>
            Save
          </button>
        )}
      </form>
    </Section>
  );
};

export const DataTab = () => {
  const settings = useRead('GET /v1/settings');
  return (
    <Shown of={settings} loading="Looking at the settings">
      {(data) => (
        <>
          <Retention settings={data} />
          <ReturnOrigins settings={data} />
        </>
      )}
    </Shown>
  );
};
