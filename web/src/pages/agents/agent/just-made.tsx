import { useNavigate } from '@tanstack/react-router';
import { PartyPopper, TriangleAlert, X } from 'lucide-react';
import type { Agent } from '../../../../../client/src/index.ts';
import { useAll } from '../../../data/use-read.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { TryIt } from './try-it.tsx';

/** The first minute of an agent: that it works, and how to see it work. */
export const JustMade = ({ agent }: { agent: Agent }) => {
  const navigate = useNavigate();
  const triggers = useAll('GET /v1/triggers', { agentId: agent.id });
  const [first] = triggers.data?.items ?? [];
  const isBroken = first?.state === 'broken';
  const asks = agent.tools.some(({ permission }) => permission !== 'autopilot') && agent.runner.type !== 'tool';
  const Icon = isBroken ? TriangleAlert : PartyPopper;
  return (
    <section
      aria-label="Ready"
      className={`flex items-start gap-3 rounded-xl p-4 text-sm ${isBroken ? 'bg-warn-soft text-warn' : 'bg-good-soft text-good'}`}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
      <div className="grid flex-1 gap-2">
        <p className="font-medium">
          {agent.name} is {isBroken ? 'made, but nothing starts it yet.' : 'ready and enabled.'}
        </p>
        {first === undefined && <p>Add a trigger, or start it by hand.</p>}
        {isBroken && (
          <p>
            <VisibleText text={first?.reason ?? ''} />
          </p>
        )}
        {first !== undefined && !isBroken && <TryIt trigger={first} asks={asks} />}
      </div>
      <button
        type="button"
        className="button button-bare -m-2 px-2.5"
        aria-label="Dismiss"
        onClick={() => void navigate({ to: `/agents/${agent.id}`, search: {}, replace: true })}
      >
        <X aria-hidden="true" className="size-4" />
      </button>
    </section>
  );
};
