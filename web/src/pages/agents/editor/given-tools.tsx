import { Link } from '@tanstack/react-router';
import type { AgentTool, Tool } from '../../../../../client/src/index.ts';
import { Choice } from '../../../forms/choice.tsx';
import { Section } from '../../../ui/page.tsx';
import type { Draft } from './agent-draft.ts';
import { GivenTool } from './given-tool.tsx';

/** What the agent may use, and what of it waits for a person. */
export const GivenTools = (props: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  tools: readonly Tool[];
  at: (place: string) => string | undefined;
  isLoading: boolean;
}) => {
  const { draft, set, tools, at, isLoading } = props;
  const needed: AgentTool[] =
    draft.kind === 'tool' && draft.toolId !== '' && !draft.tools.some(({ toolId }) => toolId === draft.toolId)
      ? [{ toolId: draft.toolId }]
      : [];
  const given = [...draft.tools, ...needed];
  const others = tools.filter(({ id }) => !given.some(({ toolId }) => toolId === id));
  const change = (index: number, tool: AgentTool | undefined) =>
    set({ tools: given.flatMap((each, place) => (place === index ? (tool ?? []) : each)) });
  return (
    <Section
      title="Tools"
      about="The agent can use nothing else. A tool that sends asks a person first, unless it is on autopilot."
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {given.map((tool, index) => (
          <GivenTool
            key={tool.toolId}
            given={tool}
            tool={tools.find(({ id }) => id === tool.toolId)}
            isLoading={isLoading}
            error={at(`tools[${index}].toolId`)}
            mustStay={draft.kind === 'tool' && tool.toolId === draft.toolId}
            onChange={(next) => change(index, next)}
          />
        ))}
        {given.length === 0 && (
          <p className="card p-4 text-sm text-muted">No tool yet: the agent can only read and talk.</p>
        )}
        <div className="flex flex-wrap items-center gap-3">
          <div className="max-w-full room-56">
            <Choice
              label="Give it a tool"
              value=""
              none={others.length === 0 && !isLoading ? 'There is no other tool' : 'Give it a tool …'}
              choices={others.map(({ id, name }) => [id, name])}
              disabled={isLoading || others.length === 0}
              onChoose={(toolId) => toolId !== '' && set({ tools: [...given, { toolId, permission: 'approval' }] })}
            />
          </div>
          <Link to="/tools/new" className="link inline-flex min-h-10 items-center text-sm">
            Make a tool
          </Link>
        </div>
      </div>
    </Section>
  );
};
