import { Play } from 'lucide-react';
import { useState } from 'react';
import type { Agent, Tool } from '../../../../../client/src/index.ts';
import { useAll } from '../../../data/use-read.ts';
import { useWayOn } from '../../../data/use-way-on.ts';
import { useWrite } from '../../../data/use-write.ts';
import { problemsOf } from '../../../forms/problems.ts';
import { SchemaForm } from '../../../forms/schema-form.tsx';
import { isTemplate } from '../../../forms/variables.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Problem } from '../../../ui/states.tsx';
import { draftOf, inputsOf } from '../editor/agent-draft.ts';
import { inputSchema } from '../editor/input-schema.ts';
import { RecentEventChoice } from './recent-event-choice.tsx';

const request = {
  request: { type: 'string', maxLength: 10_000, description: 'What it should do or look at this time.' },
};

/** What the event would have brought, to be given by hand. */
const schemaFor = (agent: Agent, tools: readonly Tool[]): Record<string, unknown> => {
  const mapped = agent.runner.input ?? {};
  const isMapped = (name: string) => JSON.stringify(mapped[name] ?? '').includes('{{');
  const isMissing = (name: string) => agent.runner.type === 'tool' && !Object.hasOwn(mapped, name);
  const inputs = inputsOf(draftOf(agent), tools).filter(({ name }) => isMapped(name) || isMissing(name));
  const schema = inputSchema(
    inputs,
    ({ name, required }) => isMapped(name) && (required === true || isTemplate(mapped[name])),
  );
  if (agent.runner.type === 'tool') return schema;
  return { ...schema, properties: { ...request, ...(schema['properties'] as object) } };
};

const Form = ({ agent, tools, onDone }: { agent: Agent; tools: readonly Tool[]; onDone: () => void }) => {
  const wayOn = useWayOn();
  const [input, setInput] = useState<Record<string, unknown>>({});
  const start = useWrite('POST /v1/agents/{id}/runs', { refresh: ['runs'], quiet: true });
  const problems = problemsOf(start.error).map(({ field, message }) => ({
    field: field.replace(/^runner\.input/, 'input'),
    message,
  }));
  const go = async () => {
    const leadTo = wayOn();
    const run = await start.mutateAsync({ params: { id: agent.id }, body: { input } }).catch(() => undefined);
    if (run === undefined) return;
    onDone();
    await leadTo({ to: `/runs/${run.runId}` });
  };
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <p className="text-sm text-muted">There is no event, so what it would have brought is given here.</p>
      <RecentEventChoice agent={agent} onFill={(filled) => setInput({ ...input, ...filled })} />
      <SchemaForm schema={schemaFor(agent, tools)} value={input} onChange={setInput} errors={problems} place="input" />
      {start.error !== null && problems.length === 0 && <Problem error={start.error} />}
      <div className="flex justify-end">
        <button type="submit" className="button button-main" disabled={start.isPending} aria-busy={start.isPending}>
          Start and watch the run
        </button>
      </div>
    </form>
  );
};

/** Starts the agent now, and leads to its run. */
export const StartByHand = ({ agent }: { agent: Agent }) => {
  const [open, setOpen] = useState(false);
  const tools = useAll('GET /v1/tools', {}, { enabled: open });
  const isPaused = agent.state === 'paused';
  return (
    <>
      <button
        type="button"
        className="button button-quiet"
        disabled={isPaused}
        title={isPaused ? 'A paused agent starts nothing.' : undefined}
        onClick={() => setOpen(true)}
      >
        <Play aria-hidden="true" className="size-4" />
        Start by hand
      </button>
      <Dialog title={`Start “${agent.name}”`} open={open} onClose={() => setOpen(false)}>
        <Shown of={tools} loading="Looking what it can be given" rows={1}>
          {({ items }) => <Form agent={agent} tools={items} onDone={() => setOpen(false)} />}
        </Shown>
      </Dialog>
    </>
  );
};
