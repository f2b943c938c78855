import type { Agent } from '../../../../../client/src/index.ts';
import { useAll } from '../../../data/use-read.ts';
import { problemsOf } from '../../../forms/problems.ts';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/states.tsx';
import { Unsaved } from '../../../ui/unsaved.tsx';
import { bodyOf } from './agent-draft.ts';
import { FixedInputs } from './fixed-inputs.tsx';
import { GivenTools } from './given-tools.tsx';
import { RunnerSettings } from './runner-settings.tsx';
import { SecretOnce } from './secret-once.tsx';
import { useAgentDraft } from './use-agent-draft.ts';
import { useSaveAgent } from './use-save-agent.ts';

const placed = /^(name|instructions|tools|runner)\b/;

/** Name, instructions, runner and tools of a new or an existing agent. */
export const AgentEditor = ({ agent }: { agent?: Agent }) => {
  const tools = useAll('GET /v1/tools');
  const known = tools.data?.items ?? [];
  const { draft, set, base, isChanged, adopt } = useAgentDraft(agent);
  const seen = agent && { id: agent.id, version: Math.max(agent.version, base?.version ?? 0) };
  const save = useSaveAgent(seen, adopt);
  const problems = problemsOf(save.error);
  const at = (place: string) => problems.find(({ field }) => field === place)?.message;
  const isPlaced = problems.length > 0 && problems.every(({ field }) => placed.test(field));
  const isOld = agent !== undefined && base !== undefined && agent.version > base.version;

  return (
    <form
      className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-8"
      aria-label="Agent"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(bodyOf(draft, known));
      }}
    >
      {isOld && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
          <span className="flex-1">Somebody saved version {agent.version} meanwhile. Saving replaces it.</span>
          <button type="button" className="button button-quiet" onClick={() => adopt(agent)}>
            Take theirs
          </button>
        </div>
      )}
      <div className="grid gap-5">
        <Field label="Name" error={at('name')}>
          <input
            className="field"
            required
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => set({ name: target.value })}
          />
        </Field>
        <Field
          label="Instructions"
          optional={draft.kind !== 'model'}
          hint="What the agent is for and how it should go about it. Mail and cards cannot change them."
          error={at('instructions')}
        >
          <textarea
            className="field py-2"
            rows={7}
            maxLength={100_000}
            placeholder="Answer each mail politely. If it is about an invoice, …"
            value={draft.instructions}
            onChange={({ target }) => set({ instructions: target.value })}
          />
        </Field>
      </div>
      <RunnerSettings
        draft={draft}
        set={set}
        tools={known}
        at={at}
        {...(agent === undefined ? {} : { agentId: agent.id })}
      />
      <GivenTools draft={draft} set={set} tools={known} at={at} isLoading={tools.data === undefined} />
      {tools.data === undefined && <Problem error={tools.error} retry={() => void tools.refetch()} />}
      <FixedInputs draft={draft} set={set} tools={known} problems={problems} agentId={agent?.id} />
      <div className="sticky bottom-16 z-10 flex flex-wrap items-center gap-3 border-t border-line bg-page py-3 lg:bottom-0 cramped:static">
        <div className="w-full empty:hidden">{!isPlaced && <Problem error={save.error} />}</div>
        <button type="submit" className="button button-main" disabled={save.isPending} aria-busy={save.isPending}>
          {agent === undefined ? 'Create agent' : 'Save'}
        </button>
        <span role="status" className="text-sm text-muted">
          {isPlaced && <span className="text-bad">Look at the marked fields.</span>}
          {!isPlaced && agent !== undefined && (isChanged ? 'Not saved yet.' : `Version ${agent.version} is saved.`)}
        </span>
      </div>
      <Unsaved isChanged={isChanged && save.secret === undefined} onLeave={() => adopt(base)} />
      <SecretOnce secret={save.secret} onClose={save.leave} />
    </form>
  );
};
