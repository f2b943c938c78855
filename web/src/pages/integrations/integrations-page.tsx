import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { Account, Integration } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { useAll, useRead } from '../../data/use-read.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Shown } from '../../ui/shown.tsx';
import { ApiKeysSection } from './api-keys-section.tsx';
import { ClientsSection } from './clients-section.tsx';
import { IntegrationIcon } from './integration-icon.tsx';
import { SecretsSection } from './secrets-section.tsx';

const order = ['connected', 'needs_reconnect', 'paused'];

const States = ({ accounts }: { accounts: readonly Account[] }) => {
  if (accounts.length === 0) return <Badge>Not connected yet</Badge>;
  return order
    .map((state) => [state, accounts.filter((account) => account.state === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => (
      <span key={state} className="inline-flex items-center gap-1.5">
        <StateBadge state={state} />
        <span className="text-xs text-muted">{count}</span>
      </span>
    ));
};

type Accounts = readonly Account[] | undefined;

const IntegrationCard = ({ integration, accounts }: { integration: Integration; accounts: Accounts }) => {
  const { name, title, purpose, steps, triggers } = integration;
  const own = accounts?.filter((account) => account.integration === name && account.state !== 'disconnected');
  return (
    <Link
      to="/integrations/$integration"
      params={{ integration: name }}
      className="card grid content-start gap-4 p-5 transition-colors hover:border-accent/60 hover:bg-hover"
    >
      <div className="flex items-start gap-4">
        <IntegrationIcon name={name} />
        <div className="min-w-0 flex-1">
          <h3 className="text-base">{title}</h3>
          <p className="text-sm text-muted">{purpose}</p>
        </div>
        <ChevronRight aria-hidden="true" className="mt-1 size-5 shrink-0 text-muted" />
      </div>
      <div className="flex min-h-6 flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        {own !== undefined && (
          <>
            <span>
              {own.length} {own.length === 1 ? 'account' : 'accounts'}
            </span>
            <States accounts={own} />
          </>
        )}
      </div>
      <p className="border-t border-line pt-3 text-xs text-muted">
        {steps.length} steps · {triggers.length} {triggers.length === 1 ? 'trigger' : 'triggers'} · built and supported
        by the operator of this Switchboard
      </p>
    </Link>
  );
};

export const IntegrationsPage = () => {
  const { may } = useSession();
  const integrations = useRead('GET /v1/integrations');
  const accounts = useAll('GET /v1/accounts');
  return (
    <Page
      title="Integrations & API Keys"
      about="Connect the accounts that agents use, and make keys for other programs. The integrations are built and supported by the operator of this Switchboard, not by the services themselves."
    >
      <Section title="Integrations">
        <Shown of={integrations} loading="Looking which integrations there are" rows={2}>
          {({ items }) => (
            <ul className="grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2">
              {items.map((integration) => (
                <li key={integration.name} className="grid">
                  <IntegrationCard integration={integration} accounts={accounts.data?.items} />
                </li>
              ))}
            </ul>
          )}
        </Shown>
      </Section>
      <SecretsSection />
      {may('owner') ? (
        <>
          <ApiKeysSection />
          <ClientsSection />
        </>
      ) : (
        <Section title="API keys">
          <p className="card p-4 text-sm text-muted">Owners of this workspace see and make API keys.</p>
        </Section>
      )}
    </Page>
  );
};
