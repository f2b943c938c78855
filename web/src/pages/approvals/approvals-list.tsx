import { Link, useNavigate } from '@tanstack/react-router';
import { CheckCheck, Paperclip, TriangleAlert } from 'lucide-react';
import type { ApprovalStatus, ApprovalSummary } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useFilters } from '../../data/use-filters.ts';
import { useNames } from '../../data/use-names.ts';
import { useList } from '../../data/use-read.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Page } from '../../ui/page.tsx';
import { Search } from '../../ui/search.tsx';
import { Empty } from '../../ui/states.tsx';
import { TabLinks } from '../../ui/tab-links.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { whoOf } from '../../ui/who-of.ts';
import { inShort } from './people.tsx';
import { RejectAll } from './reject-all.tsx';
import { useQueue } from './use-queue.ts';
import { useWhatWaits } from './use-what-waits.ts';

const tabs: [ApprovalStatus, string][] = [
  ['pending', 'Pending'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
  ['expired', 'Expired'],
  ['void', 'Void'],
];

const emptyWords: Record<ApprovalStatus, [string, string]> = {
  pending: ['Nothing waits for you', 'When an agent wants to send something, it is shown here before it leaves.'],
  approved: ['Nothing was approved yet', 'What you let out is listed here, with who decided.'],
  rejected: ['Nothing was rejected', 'What somebody refused is listed here, with the reason.'],
  expired: ['Nothing expired', 'What nobody decided about within seven days ends up here. It is not sent.'],
  void: ['Nothing is void', 'What could not be decided any more, such as after an account was disconnected.'],
};

const Row = (props: { approval: ApprovalSummary; agent: string | undefined; queue: Record<string, string> }) => {
  const { approval, agent, queue } = props;
  const { id, effect, headline, account, status, cause, createdAt, expiresAt, decidedAt, decidedBy } = approval;
  const recipients = inShort(headline);
  const title = useWhatWaits()(approval);
  return (
    <li className="row-lazy">
      <Link
        to="/approvals/$id"
        params={{ id }}
        search={queue}
        className="grid gap-x-6 gap-y-1.5 px-4 py-3.5 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_auto]"
      >
        <span className="grid min-w-0 gap-0.5">
          <span className="line-clamp-2 font-medium">
            <VisibleText text={effect === 'destroy' ? `Removal: ${title}` : title} />
          </span>
          <span className="text-sm text-muted">
            {effect === 'destroy' && 'Something would be removed'}
            {effect === 'send' && (recipients === '' ? 'Whom it reaches is not known beforehand' : 'to ')}
            <VisibleText text={effect === 'send' ? recipients : ''} />
          </span>
          <span className="text-xs text-muted">
            <VisibleText text={agent ?? whoOf(cause.startedBy)} /> as{' '}
            <VisibleText text={account.address ?? account.name} />
          </span>
        </span>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted sm:flex-col sm:items-end sm:justify-center">
          <span className="flex items-center gap-2">
            {headline.attachments > 0 && (
              <span className="flex items-center gap-1">
                <Paperclip aria-hidden="true" className="size-3.5" />
                {headline.attachments}
                <span className="sr-only"> attachments</span>
              </span>
            )}
            {headline.warnings > 0 && (
              <span className="flex items-center gap-1 text-warn">
                <TriangleAlert aria-hidden="true" className="size-3.5" />
                {headline.warnings}
                <span className="sr-only">{headline.warnings === 1 ? ' warning' : ' warnings'}</span>
              </span>
            )}
            <StateBadge state={status} />
          </span>
          {status === 'pending' ? (
            <span>
              asked <Time at={createdAt} /> · expires <Time at={expiresAt} />
            </span>
          ) : (
            <span>
              <Time at={decidedAt ?? createdAt} />
              {decidedBy !== null && (
                <>
                  {' by '}
                  <VisibleText text={whoOf(decidedBy)} />
                </>
              )}
            </span>
          )}
        </span>
      </Link>
    </li>
  );
};

export const ApprovalsPage = () => {
  const { values, set } = useFilters(['status', 'agentId', 'accountId', 'query', 'order']);
  const status = tabs.find(([each]) => each === values.status)?.[0] ?? 'pending';
  const { narrowed, order: asked } = useQueue();
  const order = status === 'pending' ? asked : {};
  const isNarrowed = Object.keys(narrowed).length > 0;
  const isChosen = values.agentId !== undefined || values.accountId !== undefined || 'order' in order;
  const list = useList('GET /v1/approvals', { status, ...narrowed, ...order, limit: 50 });
  const { agents, accounts } = useNames();
  const { may } = useSession();
  const [title, about] = emptyWords[status];
  const navigate = useNavigate();
  const showAll = () => void navigate({ to: '.', search: status === 'pending' ? order : { status } });
  return (
    <Page
      title="Approvals"
      which={tabs.find(([each]) => each === status)?.[1]}
      about="Decide what may be sent. You see exactly what would leave, and nothing leaves before."
    >
      <TabLinks
        label="Approvals by state"
        to="/approvals"
        tabs={tabs.map(([name, words]) => ({
          name,
          title: words,
          search: name === 'pending' ? { ...narrowed, ...order } : { ...narrowed, status: name },
        }))}
        current={status}
      />
      <FilterBar
        any={isNarrowed}
        chosen={isChosen}
        clear={showAll}
        find={
          <Search
            label="Find"
            placeholder="subject or recipient"
            value={values.query}
            onSearch={(text) => set('query', text)}
          />
        }
      >
        <Narrow label="Agent" value={values.agentId} choices={agents} onChoose={(agent) => set('agentId', agent)} />
        <Narrow
          label="Account"
          value={values.accountId}
          choices={accounts}
          onChoose={(account) => set('accountId', account)}
        />
        {status === 'pending' && (
          <Narrow
            label="First"
            none="The newest"
            value={asked.order}
            choices={[['expiring', 'Next to expire']]}
            onChoose={(first) => set('order', first)}
          />
        )}
      </FilterBar>
      {status === 'pending' && may('approver') && narrowed.agentId !== undefined && (
        <RejectAll
          agent={agents.get(narrowed.agentId) ?? 'this agent'}
          query={narrowed}
          isOffered={list.items.length > 1}
        />
      )}
      <Listed
        of={list}
        loading="Looking what waits"
        empty={
          isNarrowed ? (
            <Empty icon={CheckCheck} title={list.hasNextPage ? 'Looking through older ones …' : 'None is like that'}>
              <p>
                {narrowed.query === undefined
                  ? 'Choose another agent or account.'
                  : 'Each word is looked for in the subject and in the names and addresses it would reach; not in what it says.'}
              </p>
            </Empty>
          ) : (
            <Empty icon={CheckCheck} title={title}>
              <p>{about}</p>
            </Empty>
          )
        }
      >
        <ul aria-label={`Approvals, ${status}`} className="card divide-y divide-line overflow-hidden">
          {list.items.map((approval) => (
            <Row
              key={approval.id}
              approval={approval}
              agent={approval.cause.agentId === undefined ? undefined : agents.get(approval.cause.agentId)}
              queue={{ ...narrowed, ...order }}
            />
          ))}
        </ul>
      </Listed>
    </Page>
  );
};
