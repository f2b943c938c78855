import type { ReactNode } from 'react';
import type { Account, Integration } from '../../../../client/src/index.ts';
import { useSession } from '../../data/session.tsx';
import { Badge } from '../../ui/badge.tsx';
import { AccountActions } from './account-actions.tsx';
import { AccountUses, useUses } from './account-uses.tsx';
import { PermissionTypes } from './permission-types.tsx';
import type { Connect } from './use-connect.ts';
import { methodWords } from './words.ts';

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3 py-1.5 cramped:grid-cols-1 cramped:gap-0">
    <dt className="text-muted">{name}</dt>
    <dd className="untrusted">{children}</dd>
  </div>
);

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="grid content-start gap-2">
    <h4 className="text-sm font-semibold">{title}</h4>
    {children}
  </section>
);

/** Everything about one account, and what can be done with it. */
export const AccountDetail = (props: { account: Account; integration: Integration; connecting: Connect }) => {
  const { account, integration, connecting } = props;
  const { may } = useSession();
  const uses = useUses(account.id);
  const { identity, scopes } = account;
  return (
    <div className="grid gap-6 border-t border-line p-4 sm:p-5">
      {may('builder') && (
        <AccountActions account={account} integration={integration} connecting={connecting} uses={uses} />
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        <Part title="Identity">
          <dl className="grid text-sm">
            <Fact name="Name">{identity.name}</Fact>
            {identity.address !== undefined && <Fact name="Address">{identity.address}</Fact>}
            {identity.username !== undefined && <Fact name="Username">{identity.username}</Fact>}
            {identity.kind !== undefined && <Fact name="Kind">{identity.kind} account</Fact>}
            {account.endUserId !== undefined && <Fact name="End user">{account.endUserId}</Fact>}
            <Fact name="Connected by">{methodWords[account.authMethod] ?? account.authMethod}</Fact>
            <Fact name="Id">
              <code className="font-mono text-xs">{account.id}</code>
            </Fact>
          </dl>
        </Part>
        <Part title="Used by">
          <AccountUses uses={uses} />
        </Part>
        <Part title="Permissions">
          <PermissionTypes account={account} integration={integration} connecting={connecting} />
        </Part>
        <Part title="Granted scopes">
          <p className="text-xs text-muted">Exactly what the service granted, in its own words.</p>
          <p className="flex flex-wrap gap-1.5">
            {scopes.map((scope) => (
              <Badge key={scope}>
                <code className="font-mono">{scope}</code>
              </Badge>
            ))}
          </p>
        </Part>
      </div>
    </div>
  );
};
