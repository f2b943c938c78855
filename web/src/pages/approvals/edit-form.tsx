import { type FormEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import type { Approval, SwitchboardError } from '../../../../client/src/index.ts';
import { Field } from '../../ui/field.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { StepUnread, useEditFields } from './edit-conflict.tsx';
import { type EditField, fromDraft, labelOfField, toDraft } from './edit-fields.ts';

const controlFor = (field: EditField, value: string, set: (text: string) => void): ReactElement<object> => {
  const common = { value, onChange: (event: { target: { value: string } }) => set(event.target.value) };
  if (field.kind === 'line') return <input className="field" dir="auto" {...common} />;
  if (field.kind === 'day') return <input className="field" type="date" {...common} />;
  if (field.kind === 'time') return <input className="field" type="datetime-local" {...common} />;
  if (field.kind === 'flag')
    return (
      <select className="field" {...common}>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    );
  if (field.kind === 'choice')
    return (
      <select className="field" {...common}>
        {field.choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    );
  const rows = field.kind === 'people' ? Math.min(Math.max(value.split('\n').length, 1), 6) : undefined;
  const look = { people: 'min-h-10', text: 'min-h-64', json: 'min-h-24 font-mono text-xs' }[field.kind];
  const isText = field.kind === 'text';
  return (
    <textarea
      className={`field py-2 ${look}`}
      rows={rows}
      spellCheck={isText}
      dir={isText ? 'auto' : undefined}
      {...common}
    />
  );
};

/** An answer goes to whoever wrote, although nobody is named. */
const impliedIn = ({ view: { to, cc, bcc } }: Approval, field: EditField): string =>
  toDraft(field) === '' ? ({ to, cc, bcc }[field.name] ?? []).map(({ address }) => address).join(', ') : '';

const between = 'One address per line, or with commas between them.';

const hintOf = (approval: Approval, field: EditField, format: string | undefined): string | undefined => {
  const implied = impliedIn(approval, field);
  if (field.kind === 'people') return implied === '' ? between : `Left empty, it goes to ${implied}. ${between}`;
  if ((field.name === 'body' || field.name === 'comment') && format === 'html') return 'HTML source.';
  return field.isMain ? undefined : field.about;
};

type Typed = Record<string, string>;

const refusedFields = (error: SwitchboardError | null): Record<string, string> => {
  const fields = (error?.details?.['fields'] ?? []) as { field?: string; message?: string }[];
  return Object.fromEntries(
    fields.map(({ field = '', message = '' }) => [field.replace(/^changes\./, '').split(/[.[]/)[0] ?? '', message]),
  );
};

type Props = {
  approval: Approval;
  typed: Typed;
  onType: (typed: Typed) => void;
  onLeave: () => void;
  onSave: (changes: Record<string, unknown>) => void;
  error: SwitchboardError | null;
  busy: boolean;
};

const Form = (props: Props & { fields: EditField[] }) => {
  const { approval, typed, onType, onLeave, onSave, error, busy, fields } = props;
  const textOf = (field: EditField): string => typed[field.name] ?? toDraft(field);
  const format = fields.find(({ name }) => name === 'bodyFormat');
  const [mistakes, setMistakes] = useState<Record<string, string>>({});
  const wrong = { ...refusedFields(error), ...mistakes };

  const place = useRef<HTMLFormElement>(null);
  useEffect(() => place.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found: Record<string, string> = {};
    const changes: Record<string, unknown> = {};
    for (const field of fields) {
      const text = textOf(field);
      if (text === toDraft(field)) continue;
      try {
        changes[field.name] = fromDraft(field, text);
      } catch (mistake) {
        found[field.name] = (mistake as Error).message;
      }
    }
    setMistakes(found);
    if (Object.keys(found).length > 0) return;
    if (Object.keys(changes).length === 0) onLeave();
    else onSave(changes);
  };

  const drawn = (field: EditField) => {
    const hint = hintOf(approval, field, format === undefined ? undefined : textOf(format));
    return (
      <Field
        key={field.name}
        label={labelOfField(field.name)}
        {...(hint === undefined ? {} : { hint })}
        error={wrong[field.name]}
      >
        {controlFor(field, textOf(field), (text) => onType({ ...typed, [field.name]: text }))}
      </Field>
    );
  };
  const others = fields.filter(({ isMain }) => !isMain);

  return (
    <form
      ref={place}
      onSubmit={submit}
      aria-label="Edit"
      className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-4 sm:p-6"
    >
      <p className="text-sm text-muted">Nothing is sent by saving: you see it once more and decide then.</p>
      {fields.filter(({ isMain }) => isMain).map(drawn)}
      {others.length > 0 && (
        <details>
          <summary className="min-h-10 cursor-pointer py-2 text-sm text-muted">More fields ({others.length})</summary>
          <div className="grid gap-4 pt-2">{others.map(drawn)}</div>
        </details>
      )}
      <div className="sticky bottom-14 -mx-4 -mb-4 flex flex-wrap gap-2 rounded-b-xl border-t border-line bg-raised p-4 sm:-mx-6 sm:-mb-6 sm:px-6 lg:bottom-0 cramped:static">
        {error !== null && Object.keys(refusedFields(error)).length === 0 && (
          <div className="w-full">
            <Problem error={error} />
          </div>
        )}
        <button type="button" className="button button-quiet min-h-12 flex-1 sm:flex-none" onClick={onLeave}>
          Leave as it was
        </button>
        <button type="submit" className="button button-main min-h-12 flex-1 sm:flex-none" disabled={busy}>
          {busy ? 'Composing …' : 'Save and look again'}
        </button>
      </div>
    </form>
  );
};

/** Changes what would be sent. It is composed anew and shown before anybody decides. */
export const EditForm = (props: Props) => {
  const fields = useEditFields(props.approval);
  if (fields === undefined) return <Loading what="Looking what may be changed" />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <StepUnread approval={props.approval} />
      <Form {...props} fields={fields} />
    </div>
  );
};
