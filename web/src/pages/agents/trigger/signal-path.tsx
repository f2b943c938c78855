import { Bot, type LucideIcon, Plug, Radio, Zap } from 'lucide-react';
import { Fragment } from 'react';
import type { Finding } from '../../../../../client/src/index.ts';

const stations: readonly { title: string; icon: LucideIcon; checks: readonly string[] }[] = [
  { title: 'Account', icon: Plug, checks: ['account', 'workspace'] },
  { title: 'Watch', icon: Radio, checks: ['watch', 'notifications', 'unread', 'polling'] },
  { title: 'Trigger', icon: Zap, checks: ['trigger', 'filter', 'skipped', 'failures'] },
  { title: 'Agent', icon: Bot, checks: ['agent'] },
];

/** The way from the service to the agent, with the place where it is interrupted. */
export const SignalPath = ({ findings }: { findings: Finding[] }) => (
  <ol aria-label="The way from the account to the agent" className="flex items-start cramped:flex-wrap cramped:gap-4">
    {stations.map(({ title, icon: Icon, checks }, at) => {
      const isOpen = findings.every(({ check, ok }) => ok || !checks.includes(check));
      return (
        <Fragment key={title}>
          {at > 0 && (
            <li
              aria-hidden="true"
              className={`mt-5 h-0.5 flex-1 cramped:hidden ${isOpen ? 'bg-good' : 'border-t-2 border-dashed border-warn'}`}
            />
          )}
          <li className="grid w-16 justify-items-center gap-1.5 text-center text-xs">
            <span className={`rounded-full p-2.5 ${isOpen ? 'bg-good-soft text-good' : 'bg-warn-soft text-warn'}`}>
              <Icon aria-hidden="true" className="size-5" />
            </span>
            <span className="font-medium">{title}</span>
            <span className={isOpen ? 'text-good' : 'text-warn'}>{isOpen ? 'open' : 'look here'}</span>
          </li>
        </Fragment>
      );
    })}
  </ol>
);
