import { Link } from '@tanstack/react-router';
import { Activity, CheckCheck, CircleCheck, PlugZap, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Overview } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useRead } from '../../data/use-read.ts';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { inShort } from '../approvals/people.tsx';
import { useWhatWaits } from '../approvals/use-what-waits.ts';

const Item = ({ icon, tone, children }: { icon: ReactNode; tone: string; children: ReactNode }) => (
  <li className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-3 px-4 py-3 text-sm sm:px-5">
    <span className={`mt-0.5 ${tone}`}>{icon}</span>
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 sm:flex-nowrap">{children}</div>
  </li>
);

const Waiting = ({ count }: { count: number }) => {
  const { data } = useRead('GET /v1/approvals', { query: { status: 'pending', limit: 3 } });
  const whatWaits = useWhatWaits();
  const { may } = useSession();
  return (
    <>
      {(data?.items ?? []).map(({ id, headline, stepId, createdAt }) => (
        <Item key={id} tone="text-warn" icon={<CheckCheck aria-hidden="true" className="size-4" />}>
          <span className="grid min-w-0">
            <span className="line-clamp-1 font-medium">
              <VisibleText text={whatWaits({ headline, stepId })} />
            </span>
            <span className="text-xs text-muted">
              {inShort(headline) !== '' && (
                <>
                  to <VisibleText text={inShort(headline)} />,{' '}
                </>
              )}
              asked <Time at={createdAt} />
            </span>
          </span>
          <Link to="/approvals/$id" params={{ id }} className="button button-quiet shrink-0">
            {may('approver') ? 'Look and decide' : 'Look at it'}
          </Link>
        </Item>
      ))}
      {count > 3 && (
        <li className="px-4 py-3 text-sm sm:px-5">
          <Link to="/approvals" className="link">
            All {count.toLocaleString('en')} that wait for a decision
          </Link>
        </li>
      )}
    </>
  );
};

/** Those that are not named, because there are so many, and where they stand. */
const MoreAccounts = ({ count }: { count: number }) => {
  const { data } = useRead('GET /v1/integrations');
  return (
    <li className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-3 text-sm text-muted sm:px-5">
      <span>
        {count.toLocaleString('en')} more {count === 1 ? 'account needs' : 'accounts need'} to be connected again.
      </span>
      {(data?.items ?? []).map(({ name, title }) => (
        <Link
          key={name}
          to="/integrations/$integration"
          params={{ integration: name }}
          search={{ state: 'needs_reconnect' }}
          className="link"
        >
          All of {title}
        </Link>
      ))}
    </li>
  );
};

/** Where some are not named here, the way to all of them. */
const AllBroken = ({ count }: { count: number }) => (
  <li className="px-4 py-3 text-sm sm:px-5">
    <Link to="/triggers" search={{ state: 'broken' }} className="link">
      {count === 1 ? '1 trigger is broken' : `${count.toLocaleString('en')} triggers are broken`}
    </Link>
  </li>
);

const GivenUp = ({ count }: { count: number }) => (
  <Item tone="text-bad" icon={<Activity aria-hidden="true" className="size-4" />}>
    <span className="grid min-w-0">
      <span className="font-medium">
        {count === 1 ? '1 event was given up' : `${count.toLocaleString('en')} events were given up`}
      </span>
      <span className="text-xs text-muted">Nothing was started. Look why, and replay what still matters.</span>
    </span>
    <Link to="/events" search={{ outcome: 'dead' }} className="button button-quiet shrink-0">
      See why
    </Link>
  </Item>
);

/** What needs a person, each with the way to deal with it. */
export const Attention = ({ overview }: { overview: Overview }) => {
  const { may } = useSession();
  const { pendingApprovals, accountsToReconnect, brokenTriggers } = overview;
  // A process of the edition before does not count them.
  const { more, eventsGivenUp }: Partial<Overview> = overview;
  const givenUp = eventsGivenUp ?? 0;
  const unnamed = more?.brokenTriggers ?? 0;
  const accountsLeft = more?.accountsToReconnect ?? 0;
  const isCalm = pendingApprovals + accountsToReconnect.length + brokenTriggers.length + unnamed + givenUp === 0;
  const title = may('approver') ? 'Needs you' : 'Needs somebody';
  return (
    <Section title={title}>
      {isCalm ? (
        <p className="card flex items-center gap-3 p-4 text-sm text-muted">
          <CircleCheck aria-hidden="true" className="size-5 text-good" />
          Nothing waits for you: no decision is due, every account is connected, every trigger works.
        </p>
      ) : (
        <ul aria-label={title} className="card divide-y divide-line">
          {accountsToReconnect.map(({ id, name, integration, reason }) => (
            <Item key={id} tone="text-bad" icon={<PlugZap aria-hidden="true" className="size-4" />}>
              <span className="grid min-w-0">
                <span className="font-medium">
                  <VisibleText text={name} /> needs to be connected again
                </span>
                <span className="text-xs text-muted">
                  <VisibleText text={reason ?? 'Its triggers rest until then, and catch up afterwards.'} />
                </span>
              </span>
              <Link
                to="/integrations/$integration"
                params={{ integration }}
                search={{ account: id }}
                className="button button-quiet shrink-0"
              >
                {may('builder') ? 'Reconnect' : 'Look at it'}
              </Link>
            </Item>
          ))}
          {accountsLeft > 0 && <MoreAccounts count={accountsLeft} />}
          {brokenTriggers.map(({ id, name, reason }) => (
            <Item key={id} tone="text-bad" icon={<Zap aria-hidden="true" className="size-4" />}>
              <span className="grid min-w-0">
                <span className="font-medium">
                  The trigger <VisibleText text={name} /> is broken
                </span>
                {reason !== null && (
                  <span className="text-xs text-muted">
                    <VisibleText text={reason} />
                  </span>
                )}
              </span>
              <Link to="/triggers/$id" params={{ id }} className="button button-quiet shrink-0">
                See why
              </Link>
            </Item>
          ))}
          {unnamed > 0 && <AllBroken count={brokenTriggers.length + unnamed} />}
          {givenUp > 0 && <GivenUp count={givenUp} />}
          {pendingApprovals > 0 && <Waiting count={pendingApprovals} />}
        </ul>
      )}
    </Section>
  );
};
