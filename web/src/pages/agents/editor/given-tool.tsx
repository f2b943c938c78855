import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { AgentTool, Tool } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useRead } from '../../../data/use-read.ts';
import { EffectBadge } from '../../../ui/badge.tsx';
import { Field } from '../../../ui/field.tsx';

/** What the tool does outside, by its steps. */
const useEffects = (tool: Tool | undefined): string[] => {
  const { data } = useRead('GET /v1/integrations');
  const steps = data?.items.flatMap((integration) => integration.steps) ?? [];
  const found = (tool?.steps ?? []).flatMap(({ step }) => steps.find(({ id }) => id === step)?.effect ?? []);
  return [...new Set<string>(found)];
};

/** Steps that ask on their own, whatever the agent says. */
const stricterSteps = ({ permission }: AgentTool, tool: Tool | undefined): string[] =>
  permission === 'autopilot'
    ? (tool?.steps ?? []).filter((step) => step.permission !== 'autopilot').map(({ key }) => key)
    : [];

/** One tool of the agent with its permission. */
export const GivenTool = (props: {
  given: AgentTool;
  tool: Tool | undefined;
  isLoading: boolean;
  error: string | undefined;
  mustStay: boolean;
  onChange: (next: AgentTool | undefined) => void;
}) => {
  const { given, tool, isLoading, error, mustStay, onChange } = props;
  const { may } = useSession();
  const effects = useEffects(tool);
  const stricter = stricterSteps(given, tool);
  const isAutopilot = given.permission === 'autopilot';
  const name = tool?.name ?? (isLoading ? 'A tool' : 'Deleted tool');
  return (
    <div role="group" aria-label={name} className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <Link
              to={`/tools/${given.toolId}`}
              className="text-sm font-medium [overflow-wrap:anywhere] hover:underline"
            >
              {name}
            </Link>
            {effects.map((effect) => (
              <EffectBadge key={effect} effect={effect} />
            ))}
          </div>
          {tool !== undefined && tool.description !== '' && (
            <p className="untrusted line-clamp-6 text-xs text-muted">{tool.description}</p>
          )}
          {error !== undefined && <p className="text-xs text-bad">{error}</p>}
        </div>
        {!mustStay && (
          <button
            type="button"
            className="button button-bare -m-2 px-2.5"
            aria-label={`Take ${name} away`}
            onClick={() => onChange(undefined)}
          >
            <X aria-hidden="true" className="size-4" />
          </button>
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Permission"
          hint={
            isAutopilot
              ? 'Sends by itself to recipients fixed here, to the people of the mail that started it, and to the allow-list.'
              : 'A person sees and approves each send before it leaves.'
          }
        >
          <select
            className="field"
            value={given.permission ?? 'approval'}
            onChange={({ target }) =>
              onChange({ ...given, permission: target.value === 'autopilot' ? 'autopilot' : 'approval' })
            }
          >
            <option value="approval">Approval: ask before each send</option>
            <option value="autopilot">Autopilot: send by itself</option>
          </select>
        </Field>
        {isAutopilot && (
          <Field
            label="Other recipients"
            hint={
              may('owner')
                ? 'With “anyone”, text in a mail or card can lead the agent to write to strangers.'
                : 'Only an owner can let it write to anyone.'
            }
          >
            <select
              className="field"
              value={given.recipients ?? 'guarded'}
              disabled={!may('owner')}
              onChange={({ target }) =>
                onChange({ ...given, recipients: target.value === 'anyone' ? 'anyone' : 'guarded' })
              }
            >
              <option value="guarded">Guarded: ask a person</option>
              <option value="anyone">Anyone: do not ask</option>
            </select>
          </Field>
        )}
      </div>
      {stricter.length > 0 && (
        <p className="text-xs text-warn">
          The stricter wins: the tool's {stricter.length === 1 ? 'step' : 'steps'} “{stricter.join('”, “')}” still{' '}
          {stricter.length === 1 ? 'asks' : 'ask'} before a send.
        </p>
      )}
    </div>
  );
};
