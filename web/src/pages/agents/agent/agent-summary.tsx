import { Link } from '@tanstack/react-router';
import type { Agent } from '../../../../../client/src/index.ts';
import { useNames } from '../../../data/use-names.ts';
import { useAll } from '../../../data/use-read.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/page.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { ModelInUse } from '../editor/model-in-use.tsx';

const howItRuns: Record<Agent['runner']['type'], string> = {
  model: 'A model decides which tools to use.',
  tool: 'One tool is carried out for each event. No model.',
  webhook: 'An agent on another platform is told and calls back.',
};

const Fixed = ({ input }: { input: Record<string, unknown> }) => {
  const { accounts } = useNames();
  const words = (value: unknown) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const account = accounts.get(text);
    return account === undefined ? <code>{text}</code> : <VisibleText text={account} />;
  };
  return (
    <ul className="grid gap-1">
      {Object.entries(input).map(([name, value]) => (
        <li key={name} className="untrusted text-xs">
          <span className="text-muted">{name}:</span> {words(value)}
        </li>
      ))}
    </ul>
  );
};

/** What the agent is told, what carries it out, and what it may use. */
export const AgentSummary = ({ agent }: { agent: Agent }) => {
  const { data } = useAll('GET /v1/tools');
  const { runner, instructions, tools } = agent;
  const nameOf = (id: string) => data?.items.find((tool) => tool.id === id)?.name ?? 'A tool';
  const input = runner.input ?? {};
  return (
    <Section title="What it does">
      <div className="card grid content-start gap-5 p-5">
        {instructions.trim() !== '' && <p className="untrusted line-clamp-6 text-sm">{instructions}</p>}
        <div className="grid gap-1 text-sm">
          <h3 className="text-xs font-medium text-muted">Runner</h3>
          <p>{howItRuns[runner.type]}</p>
          {runner.type === 'model' && <ModelInUse agentId={agent.id} runner={runner} />}
          {runner.type === 'webhook' && <p className="untrusted text-xs text-muted">{runner.url}</p>}
        </div>
        <div className="grid gap-2 text-sm">
          <h3 className="text-xs font-medium text-muted">Tools</h3>
          {tools.length === 0 && <p className="text-muted">None.</p>}
          <ul className="grid gap-2">
            {tools.map(({ toolId, permission, recipients }) => (
              <li key={toolId} className="flex flex-wrap items-center gap-2">
                <Link to={`/tools/${toolId}`} className="link min-h-6 py-0.5 [overflow-wrap:anywhere]">
                  {nameOf(toolId)}
                </Link>
                <Badge tone={permission === 'autopilot' ? 'warn' : 'good'}>
                  {permission === 'autopilot' ? 'Autopilot' : 'Asks before each send'}
                </Badge>
                {recipients === 'anyone' && <Badge tone="bad">To anyone</Badge>}
              </li>
            ))}
          </ul>
        </div>
        {Object.keys(input).length > 0 && (
          <div className="grid gap-2 text-sm">
            <h3 className="text-xs font-medium text-muted">Filled in from the event</h3>
            <Fixed input={input} />
          </div>
        )}
      </div>
    </Section>
  );
};
