import type { FormEvent } from 'react';
import type { Settings } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Field } from '../../ui/field.tsx';
import { fieldErrors, otherError } from '../../ui/field-errors.ts';
import { Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { useStillSo } from './use-still-so.ts';

const Retention = ({ settings }: { settings: Settings }) => {
  const { may } = useSession();
  const save = useWrite('PATCH /v1/settings', { refresh: ['settings'], done: 'Saved.', quiet: true });
  const history = useTyped(String(settings.retention.historyDays));
  const audit = useTyped(String(settings.retention.auditDays));
  const files = useTyped(String(settings.retention.fileDays));
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // What was not touched here stays as it is by now, whoever set it.
    const retention = {
      ...(history.isTyped ? { historyDays: Number(history.value) } : {}),
      ...(audit.isTyped ? { auditDays: Number(audit.value) } : {}),
      ...(files.isTyped ? { fileDays: Number(files.value) } : {}),
    };
    const onSuccess = () => [history, audit, files].forEach(({ forget }) => forget());
    save.mutate({ body: { retention } }, { onSuccess });
  };
  const days = { type: 'number', className: 'field', required: true, disabled: !may('owner') } as const;
  return (
    <Section title="How long things are kept" about="What is older is deleted by itself.">
      <form onSubmit={submit} className="card grid max-w-2xl gap-4 p-5 sm:grid-cols-2">
        <Field
          label="Events and runs, in days"
          error={errors['retention.historyDays']}
          hint="With their journals, inputs and outputs."
        >
          <input
            {...days}
            min={1}
            max={3650}
            value={history.value}
            onChange={(event) => history.set(event.target.value)}
          />
        </Field>
        <Field label="Audit, in days" error={errors['retention.auditDays']} hint="At least 30.">
          <input
            {...days}
            min={30}
            max={3650}
            value={audit.value}
            onChange={(event) => audit.set(event.target.value)}
          />
        </Field>
        <Field label="Files, in days" error={errors['retention.fileDays']} hint="Attachments by reference; at most 90.">
          <input {...days} min={1} max={90} value={files.value} onChange={(event) => files.set(event.target.value)} />
        </Field>
        <p role="alert" className="text-sm text-bad empty:hidden sm:col-span-2">
          {otherError(save.error, ['retention.historyDays', 'retention.auditDays', 'retention.fileDays'])}
        </p>
        {may('owner') && (
          <button
            type="submit"
            className="button button-main justify-self-start sm:col-span-2"
            disabled={save.isPending}
          >
            Save
          </button>
        )}
      </form>
    </Section>
  );
};

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
