import { AppWindow } from 'lucide-react';
import { useList } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/code.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

/** Programs that people let in over MCP by signing in, without a key. */
export const ClientsSection = () => {
  const address = new URL('/mcp', location.origin).href;
  const list = useList('GET /v1/clients', { limit: 50 });
  const revoke = useWrite('DELETE /v1/clients/{id}', { refresh: ['clients'], done: 'Its access has ended.' });
  return (
    <Section title="Programs over MCP" about="Let in by a person of this workspace, who consented in the browser.">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        Address for MCP clients
        <code className="font-mono text-ink [overflow-wrap:anywhere]">{address}</code>
        <CopyButton text={address} what="the address for MCP clients" />
      </p>
      <Listed
        of={list}
        loading="Looking which programs were let in"
        rows={1}
        empty={<p className="card p-4 text-sm text-muted">No program was let in. Any MCP client can ask.</p>}
      >
        <ul className="card divide-y divide-line">
          {list.items.map(({ id, clientName, person, scopes, resource, lastUsedAt, revokedAt }) => (
            <li key={id} className="row-lazy flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-sm">
              <AppWindow aria-hidden="true" className="size-4 shrink-0 text-muted" />
              <span className="grid room-40 flex-1 gap-1">
                <span className="untrusted font-medium">{clientName}</span>
                <span className="untrusted text-xs text-muted">
                  let in by {person.name} · {resource}
                </span>
                <span className="flex flex-wrap gap-1">
                  {scopes.map((scope) => (
                    <Badge key={scope}>{scope}</Badge>
                  ))}
                </span>
              </span>
              {lastUsedAt !== null && (
                <span className="text-xs text-muted">
                  used <Time at={lastUsedAt} />
                </span>
              )}
              {revokedAt === null ? (
                <Confirm
                  trigger="End access"
                  title={`End the access of ${clientName}?`}
                  action="End access"
                  className="button button-bad"
                  onConfirm={() => revoke.mutateAsync({ params: { id } })}
                >
                  <p>The program is refused from now on. The same person can let it in again.</p>
                </Confirm>
              ) : (
                <Badge>Ended</Badge>
              )}
            </li>
          ))}
        </ul>
      </Listed>
    </Section>
  );
};
