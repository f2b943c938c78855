import { Link } from '@tanstack/react-router';
import { Bot, CheckCheck, Wrench, Zap } from 'lucide-react';
import type { Item, Tool } from '../../../../../client/src/index.ts';
import { Badge, StateBadge } from '../../../ui/badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { runnerWords } from './runner-words.ts';

type AgentInUse = Item<'GET /v1/overview/agents'>;
type Activity = AgentInUse['activity'];

const TriggerChip = ({ trigger: { id, name, state } }: { trigger: Activity['triggers'][number] }) => (
  <Link
    to={`/triggers/${id}`}
    className="relative z-10 inline-flex min-h-10 max-w-full items-center gap-2 rounded-lg border border-line px-2.5 text-xs hover:bg-hover sm:min-h-8"
  >
    <Zap aria-hidden="true" className={`size-3.5 shrink-0 ${state === 'enabled' ? 'text-good' : 'text-muted'}`} />
    <span className="truncate">{name}</span>
    {state !== 'enabled' && <StateBadge state={state} />}
  </Link>
);

/** What starts it: what does not work first, so that it is never among those that are only counted. */
const Triggers = ({ agentId, activity }: { agentId: string; activity: Activity }) => {
  const { triggers, moreTriggers, moreBroken } = activity;
  if (triggers.length === 0) return <span className="text-xs text-muted">No trigger: started by hand</span>;
  return (
    <>
      {triggers.map((trigger) => (
        <TriggerChip key={trigger.id} trigger={trigger} />
      ))}
      {moreTriggers > 0 && (
        <Link
          to="/triggers"
          search={{ agentId }}
          className="relative z-10 inline-flex min-h-10 items-center sm:min-h-8"
        >
          <Badge tone={moreBroken > 0 ? 'bad' : 'plain'}>
            {moreTriggers} more{moreBroken > 0 && `, ${moreBroken} broken`}
          </Badge>
        </Link>
      )}
    </>
  );
};

/** One agent in the list; the whole row leads to it. */
export const AgentRow = ({ agent, tools }: { agent: AgentInUse; tools: readonly Tool[] }) => {
  const { pendingApprovals: waiting, lastRun: last } = agent.activity;
  const Icon = agent.runner.type === 'model' ? Bot : Wrench;
  return (
    <li className="card row-lazy relative grid gap-x-6 gap-y-3 p-4 hover:border-edge sm:grid-cols-[minmax(0,1.3fr)_minmax(0,1.2fr)_minmax(0,1fr)] sm:items-center">
      <div className="flex min-w-0 items-start gap-3">
        <span className="rounded-lg bg-accent-soft p-2 text-accent">
          <Icon aria-hidden="true" className="size-4" />
        </span>
        <div className="grid min-w-0 gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <Link
              to={`/agents/${agent.id}`}
              className="font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 after:rounded-xl"
            >
              {agent.name}
            </Link>
            <StateBadge state={agent.state} />
          </div>
          <p className="truncate text-xs text-muted">{runnerWords(agent, tools)}</p>
        </div>
      </div>
      <div className="flex min-w-0 flex-wrap gap-2">
        <Triggers agentId={agent.id} activity={agent.activity} />
      </div>
      <div className="flex flex-wrap items-center gap-2 text-xs text-muted sm:justify-end">
        {waiting > 0 && (
          <Link
            to="/approvals"
            search={{ agentId: agent.id }}
            className="relative z-10 inline-flex min-h-10 items-center sm:min-h-8"
          >
            <Badge tone="warn">
              <CheckCheck aria-hidden="true" className="size-3" />
              {waiting === 1 ? '1 approval waits' : `${waiting.toLocaleString('en')} approvals wait`}
            </Badge>
          </Link>
        )}
        {last === null ? (
          <span>Has not run yet</span>
        ) : (
          <Link
            to={`/runs/${last.id}`}
            className="relative z-10 inline-flex min-h-10 items-center gap-2 rounded-lg px-1 hover:text-ink sm:min-h-8 cramped:flex-wrap"
          >
            <StateBadge state={last.status} />
            <Time at={last.createdAt} />
          </Link>
        )}
      </div>
    </li>
  );
};
