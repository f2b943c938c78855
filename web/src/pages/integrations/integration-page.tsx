import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Plug } from 'lucide-react';
import { useEffect } from 'react';
import type { Account, Integration } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useFilters } from '../../data/use-filters.ts';
import { useList, useRead } from '../../data/use-read.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Find } from '../../ui/find.tsx';
import { Gone } from '../../ui/gone.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Narrow } from '../../ui/narrow.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Empty } from '../../ui/states.tsx';
import { AccountCard } from './account-card.tsx';
import { ConnectActions } from './connect-actions.tsx';
import { ConnectNotice } from './connect-notice.tsx';
import { type Connect, useConnect } from './use-connect.ts';
import { WhatItOffers } from './what-it-offers.tsx';

/** Coming back from the service: what it brought is told once, then gone from the address. */
const useReturn = ({ arrived }: Connect, path: string) => {
  const { status, accountId } = useSearch({ strict: false }) as { status?: string; accountId?: string };
  const navigate = useNavigate();
  useEffect(() => {
    if (status !== 'connected' || accountId === undefined) return;
    arrived(accountId);
    void navigate({ to: path, search: { account: accountId }, replace: true });
  }, [status, accountId, arrived, navigate, path]);
};

/** The account in the address, where it stands so far down the list that it is not loaded yet. */
const useBeyond = (list: { data: unknown; items: readonly Account[] }, integration: string): Account[] => {
  const { account: id = '' } = useSearch({ strict: false }) as { account?: string };
  const isBeyond = id !== '' && list.data !== undefined && !list.items.some((account) => account.id === id);
  const { data } = useRead('GET /v1/accounts/{id}', { params: { id: id || '-' } }, { enabled: isBeyond });
  return isBeyond && data?.integration === integration ? [data] : [];
};

const states = [
  ['connected', 'Connected'],
  ['needs_reconnect', 'Needs reconnect'],
  ['paused', 'Paused'],
] as const;

const Accounts = ({ integration, connecting }: { integration: Integration; connecting: Connect }) => {
  const { values, set, clear, any } = useFilters(['query', 'state']);
  const state = states.find(([each]) => each === values.state)?.[0];
  const { state: _, ...others } = values;
  const asked = { ...others, ...(state === undefined ? {} : { state }) };
  const list = useList('GET /v1/accounts', { integration: integration.name, ...asked, limit: 50 });
  const beyond = useBeyond(list, integration.name);
  const accounts = [...beyond, ...list.items].filter(({ state }) => state !== 'disconnected');
  return (
    <>
      <ConnectNotice connecting={connecting} accounts={accounts} />
      <Section title="Accounts">
        {(any || list.data === undefined || accounts.length > 0) && (
          <FilterBar
            any={any}
            chosen={any}
            clear={clear}
            find={<Find label="Find by name" value={values.query} onFind={(part) => set('query', part, 'place')} />}
          >
            <Narrow label="State" value={state} choices={states} onChoose={(each) => set('state', each)} />
          </FilterBar>
        )}
        <Listed
          of={list}
          loading="Looking at the connected accounts"
          isEmpty={accounts.length === 0}
          empty={
            any ? (
              <Empty icon={Plug} title="No account is like that">
                <p>Look for another part of the name or address, or choose another state.</p>
              </Empty>
            ) : (
              <Empty icon={Plug} title="No account is connected yet">
                <p>
                  {integration.name === 'board'
                    ? 'Connect leads to the board service, where you sign in and allow access; then you are back here.'
                    : 'Add Integration opens a window in which you sign in and grant access; the account then appears here.'}
                </p>
              </Empty>
            )
          }
        >
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
            {accounts.map((account) => (
              <li key={account.id}>
                <AccountCard account={account} integration={integration} connecting={connecting} />
              </li>
            ))}
          </ul>
        </Listed>
      </Section>
    </>
  );
};

const Known = ({ integration }: { integration: Integration }) => {
  const { may } = useSession();
  const connecting = useConnect();
  useReturn(connecting, `/integrations/${integration.name}`);
  return (
    <Page
      title={integration.title}
      about={integration.purpose}
      actions={
        may('builder') ? (
          <ConnectActions integration={integration} connecting={connecting} />
        ) : (
          <p className="text-sm text-muted">Builders and owners connect accounts.</p>
        )
      }
    >
      <Link
        to="/integrations"
        className="link -mt-3 inline-flex min-h-10 items-center gap-1.5 justify-self-start text-sm"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
        Integrations & API Keys
      </Link>
      <Accounts integration={integration} connecting={connecting} />
      <Section title="What agents can do with it">
        <div className="card grid gap-3 p-5 text-sm">
          <p>
            {integration.steps.length} steps for tools, and{' '}
            {integration.triggers.length === 1
              ? 'one trigger that starts agents.'
              : `${integration.triggers.length} triggers that start agents.`}
          </p>
          <WhatItOffers integration={integration} />
          <p className="text-muted">
            This integration is built and supported by the operator of this Switchboard, not by the service it connects
            to.
          </p>
          {may('builder') && (
            <p className="flex flex-wrap gap-x-5">
              <Link to="/tools/new" className="link inline-flex min-h-10 items-center">
                Make a tool
              </Link>
              <Link to="/agents/new" className="link inline-flex min-h-10 items-center">
                Make an agent
              </Link>
            </p>
          )}
        </div>
      </Section>
    </Page>
  );
};

export const IntegrationPage = () => {
  const { integration: name } = useParams({ strict: false }) as { integration?: string };
  const integrations = useRead('GET /v1/integrations');
  const integration = integrations.data?.items.find((each) => each.name === name);
  if (integration !== undefined) return <Known key={integration.name} integration={integration} />;
  return (
    <Page title="Integration">
      {integrations.data === undefined ? (
        <Shown of={integrations} loading="Looking at the integration">
          {() => null}
        </Shown>
      ) : (
        <Gone message="There is no such integration." />
      )}
    </Page>
  );
};
