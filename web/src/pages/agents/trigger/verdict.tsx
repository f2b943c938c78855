import { Link } from '@tanstack/react-router';
import { CircleCheck, Hourglass, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Diagnosis, Trigger } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { OwnWords } from '../../../ui/own-words.tsx';

const fixed = 'button button-main justify-self-start';

/** The way to where the cause can be removed. */
const Remedy = ({
  check,
  trigger,
  diagnosis,
}: {
  check: string;
  trigger: Trigger;
  diagnosis: Diagnosis;
}): ReactNode => {
  const { may } = useSession();
  const [integration = ''] = trigger.type.split('.');
  // Whoever may not change its settings reads them further down.
  if (!may('builder') && ['filter', 'event_type', 'watch'].includes(check)) return null;
  switch (check) {
    case 'workspace':
      return (
        <Link to="/settings" search={{ tab: 'safety' }} className={fixed}>
          To the emergency stop
        </Link>
      );
    case 'account':
      return (
        <Link to={`/integrations/${integration}`} search={{ account: trigger.accountId }} className={fixed}>
          To the account
        </Link>
      );
    case 'agent':
      return (
        <Link to={`/agents/${trigger.agentId}`} className={fixed}>
          To the agent
        </Link>
      );
    case 'filter':
      return (
        <Link to={`/agents/${trigger.agentId}`} search={{ trigger: trigger.id }} className={fixed}>
          Look at its settings
        </Link>
      );
    case 'watch':
    case 'event_type':
      return check === 'watch' &&
        diagnosis.watches.every(({ state }) => state === 'starting' || state === 'healthy') ? null : (
        <Link
          to={`/agents/${trigger.agentId}`}
          search={{ trigger: trigger.id }}
          className="link justify-self-start text-sm"
        >
          Look at its settings
        </Link>
      );
    default:
      return null;
  }
};

const faces = {
  good: { icon: CircleCheck, tone: 'bg-good-soft text-good', title: 'Nothing stands in its way' },
  // The way is open; what it waits for has not come.
  waiting: { icon: Hourglass, tone: 'bg-info-soft text-info', title: 'It has not fired yet' },
  bad: { icon: TriangleAlert, tone: 'bg-warn-soft text-warn', title: 'Why it does not fire' },
};

const faceOf = (check: string | undefined): keyof typeof faces => {
  if (check === undefined) return 'good';
  return check === 'event_type' || check === 'unread' ? 'waiting' : 'bad';
};

/** The one sentence that people came for. */
export const Verdict = ({ trigger, diagnosis }: { trigger: Trigger; diagnosis: Diagnosis }) => {
  const { cause } = diagnosis;
  const { icon: Icon, tone, title } = faces[faceOf(cause?.check)];
  return (
    <div className="flex items-start gap-4">
      <span className={`rounded-full p-3 ${tone}`}>
        <Icon aria-hidden="true" className="size-6" />
      </span>
      <div className="grid min-w-0 gap-2">
        <h2 className="text-lg">{title}</h2>
        <p className="text-sm">
          <OwnWords
            text={cause?.message ?? 'It is connected, watched and enabled. What fits its settings starts the agent.'}
          />
        </p>
        {cause !== undefined && <Remedy check={cause.check} trigger={trigger} diagnosis={diagnosis} />}
      </div>
    </div>
  );
};
