import { FlaskConical, Play } from 'lucide-react';
import { type Dispatch, type SetStateAction, useRef, useState } from 'react';
import type { SwitchboardError, Tool } from '../../../../client/src/index.ts';
import { api } from '../../data/api.ts';
import { AccountSelect } from '../../forms/account-select.tsx';
import { messageAt, problemsBelow, problemsOf } from '../../forms/problems.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import type { Draft } from './draft.ts';
import { type Outcome, remember, type Tried } from './try-memory.ts';
import { TryOutcome } from './try-outcome.tsx';

const schemaOf = ({ inputs }: Draft): Record<string, unknown> => {
  const plain = inputs.filter(({ type, name }) => type !== 'account' && name !== '');
  return {
    type: 'object',
    properties: Object.fromEntries(
      plain.map(({ name, type, description, default: byDefault }) => [
        name,
        { type, title: name, description, default: byDefault, ...(type === 'string' ? { maxLength: 5_000 } : {}) },
      ]),
    ),
    required: plain.filter(({ required }) => required).map(({ name }) => name),
  };
};

/** A refusal names its run only sometimes; otherwise it is the tool's latest, if that ended with these words. */
const failureOf = async (toolId: string, error: SwitchboardError): Promise<Outcome> => {
  const named = error.details?.runId;
  if (typeof named === 'string') return { status: 'failed', error, runId: named };
  const latest = await api.call('GET /v1/runs', { query: { toolId, limit: 1 } }).catch(() => ({ items: [] }));
  const run = latest.items.find((each) => each.error?.message === error.message);
  return { status: 'failed', error, runId: run?.id };
};

/** Tries the tool beside the form: a dry run shows the requests, a test run makes them. */
export const TryPanel = (props: {
  draft: Draft;
  isDirty: boolean;
  /** The tool as it is saved then; undefined when it could not be. */
  saved: () => Promise<Tool | undefined>;
  tried: Tried;
  onTried: Dispatch<SetStateAction<Tried>>;
  /** When a new tool got its id by being tried. */
  onSaved: (tool: Tool) => void;
}) => {
  const { draft, isDirty, saved, tried, onTried, onSaved } = props;
  const { values, outcome } = tried;
  const [busy, setBusy] = useState<'dry' | 'real'>();
  const [alone, setAlone] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  const setValues = (next: Record<string, unknown>) => onTried((before) => ({ ...before, values: next }));
  const accounts = draft.inputs.filter(({ type }) => type === 'account');
  const refused = outcome?.status === 'failed' ? problemsOf(outcome.error) : [];
  const below = problemsBelow(refused, 'input');
  const sendsAlone = draft.steps.some(({ permission }) => permission === 'autopilot');

  const run = async (kind: 'dry' | 'real') => {
    // What is no value yet would be left out.
    const wrong = panel.current?.querySelector<HTMLInputElement>('input:invalid, textarea:invalid');
    if (wrong?.reportValidity() === false) return;
    setBusy(kind);
    try {
      const tool = await saved();
      if (tool === undefined) return;
      const names = new Set(tool.inputs.map(({ name }) => name));
      const input = Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
      const permission = alone && sendsAlone ? ('autopilot' as const) : ('approval' as const);
      const answer: Outcome = await api
        .call('POST /v1/tools/{id}/run', {
          params: { id: tool.id },
          body: { input, permission, dryRun: kind === 'dry' },
        })
        .catch((error: unknown) => failureOf(tool.id, error as SwitchboardError));
      remember(tool.id, { values, outcome: answer });
      // What was typed meanwhile stays.
      onTried((before) => ({ ...before, outcome: answer }));
      onSaved(tool);
    } finally {
      setBusy(undefined);
    }
  };

  return (
    <div ref={panel} className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      {accounts.map(({ uid, name, integration = 'mail', permissionType }) => (
        <AccountSelect
          key={uid}
          label={name}
          integration={integration}
          permissionType={permissionType}
          isTypeFixed
          value={typeof values[name] === 'string' ? values[name] : undefined}
          onChange={(id) => setValues({ ...values, [name]: id })}
          error={messageAt(below, [name], true)}
        />
      ))}
      {draft.inputs.length === 0 ? (
        <p className="text-sm text-muted">This tool needs nothing to be given.</p>
      ) : (
        <SchemaForm
          schema={schemaOf(draft)}
          value={Object.fromEntries(
            Object.entries(values).filter(([name]) =>
              draft.inputs.some((input) => input.name === name && input.type !== 'account'),
            ),
          )}
          onChange={(next) => {
            const kept = accounts.flatMap(({ name }): [string, unknown][] => [[name, values[name]]]);
            setValues({ ...next, ...Object.fromEntries(kept) });
          }}
          errors={refused}
          place="input"
          plain
        />
      )}
      {sendsAlone && (
        <label className="flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            className="mt-0.5 size-4 accent-accent-strong"
            checked={alone}
            onChange={({ target }) => setAlone(target.checked)}
          />
          Let steps on autopilot send without asking in this test
        </label>
      )}
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className="button button-quiet flex-1"
          disabled={busy !== undefined}
          aria-busy={busy === 'dry'}
          onClick={() => void run('dry')}
        >
          <FlaskConical aria-hidden="true" className="size-4" />
          {isDirty ? 'Save and dry run' : 'Dry run'}
        </button>
        <button
          type="button"
          className="button button-main flex-1"
          disabled={busy !== undefined}
          aria-busy={busy === 'real'}
          onClick={() => void run('real')}
        >
          <Play aria-hidden="true" className="size-4" />
          {isDirty ? 'Save and run' : 'Run for real'}
        </button>
      </div>
      <p className="text-xs text-muted">
        A dry run reads, but writes nothing. A real run does what the steps say; what sends asks a person first.
      </p>
      <div aria-live="polite" aria-busy={busy !== undefined} className="grid grid-cols-[minmax(0,1fr)]">
        {busy !== undefined && <p className="text-sm text-muted">{busy === 'dry' ? 'Rehearsing …' : 'Running …'}</p>}
        {busy === undefined && outcome !== undefined && (
          <div className="grid grid-cols-[minmax(0,1fr)] border-t border-line pt-4">
            <TryOutcome outcome={outcome} />
          </div>
        )}
      </div>
    </div>
  );
};
