import { Link } from '@tanstack/react-router';
import type { Agent, StepSummary, Tool } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';
import { IntegrationIcon } from './integration-icon.tsx';

/** More than these nobody reads in a row of a list. */
const mostUsers = 8;

const order = ['destroy', 'send', 'write', 'read'];

/** One tool of the list: what it does, how far that reaches, and who uses it. */
export const ToolRow = ({
  tool,
  known,
  users,
}: {
  tool: Tool;
  known: ReadonlyMap<string, StepSummary>;
  users: readonly Agent[];
}) => {
  const titleOf = useStepTitle();
  const effects = new Set(tool.steps.map(({ step }) => known.get(step)?.effect as string | undefined));
  const isAlone = tool.steps.some(({ permission }) => permission === 'autopilot');
  return (
    <li className="row-lazy card relative grid gap-2 p-4 hover:bg-hover">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link to={`/tools/${tool.id}`} className="untrusted font-medium after:absolute after:inset-0 after:rounded-xl">
          {tool.name}
        </Link>
        {order
          .filter((effect) => effects.has(effect))
          .map((effect) => (
            <EffectBadge key={effect} effect={effect} />
          ))}
        {isAlone && <Badge tone="warn">autopilot</Badge>}
        <span className="ml-auto text-xs text-muted">
          Version {tool.version} · <Time at={tool.updatedAt} />
        </span>
      </div>
      {tool.description !== '' && <p className="untrusted line-clamp-2 text-sm text-muted">{tool.description}</p>}
      <ol aria-label="Steps" className="flex flex-wrap gap-1.5">
        {tool.steps.map(({ key, step }) => (
          <li key={key} className="flex items-center gap-1.5 rounded-md bg-sunken px-2 py-1 text-xs">
            <IntegrationIcon of={step} className="size-3.5 text-muted" />
            {titleOf(step)}
          </li>
        ))}
      </ol>
      <p className="text-xs text-muted [overflow-wrap:anywhere]">
        {users.length === 0 ? 'No agent uses it yet.' : 'Used by '}
        {users.slice(0, mostUsers).map(({ id, name }, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <Link to={`/agents/${id}`} className="link relative z-10">
              {name}
            </Link>
          </span>
        ))}
        {users.length > mostUsers && ` and ${users.length - mostUsers} more`}
      </p>
    </li>
  );
};
