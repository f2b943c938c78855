import { Lock, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../data/session.tsx';
import { useList, useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { KeyTokenForm } from './key-token-form.tsx';

/** Key + token pairs that the configuration of a step names instead of an account. */
export const SecretsSection = () => {
  const { may } = useSession();
  const [adding, setAdding] = useState(false);
  const list = useList('GET /v1/secrets', { limit: 50 });
  const integrations = useRead('GET /v1/integrations');
  const remove = useWrite('DELETE /v1/secrets/{id}', { refresh: ['secrets'], done: 'Deleted.' });
  const integration = integrations.data?.items.find(({ auth }) => auth.some(({ credential }) => credential));
  const way = integration?.auth.find(({ credential }) => credential !== undefined);
  return (
    <Section
      title="Stored secrets"
      about="API key + token pairs for the configuration of single steps, without connecting an account."
      actions={
        may('builder') && (
          <button type="button" className="button button-quiet" onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Add a secret
          </button>
        )
      }
    >
      <Listed
        of={list}
        loading="Looking at the stored secrets"
        rows={1}
        empty={<p className="card p-4 text-sm text-muted">No secret is stored. Most tools use a connected account.</p>}
      >
        <ul className="card divide-y divide-line">
          {list.items.map(({ id, name, integration: service, identity, createdAt }) => (
            <li key={id} className="row-lazy flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-sm">
              <Lock aria-hidden="true" className="size-4 shrink-0 text-muted" />
              <span className="grid room-40 flex-1">
                <span className="untrusted font-medium">{name}</span>
                <span className="untrusted text-xs text-muted">
                  {service} · {identity.username ?? identity.name} · <code className="font-mono">{id}</code>
                </span>
              </span>
              <span className="text-xs text-muted">
                stored <Time at={createdAt} />
              </span>
              {may('builder') && (
                <Confirm
                  trigger={
                    <>
                      <Trash2 aria-hidden="true" className="size-4" />
                      Delete
                    </>
                  }
                  title={`Delete ${name}?`}
                  action="Delete"
                  className="button button-bad"
                  onConfirm={() => remove.mutateAsync({ params: { id } })}
                >
                  <p>Steps that name this secret stop working, and calls with it end at once.</p>
                </Confirm>
              )}
            </li>
          ))}
        </ul>
      </Listed>
      {integration !== undefined && way !== undefined && (
        <Dialog title="Store an API key + token" open={adding} onClose={() => setAdding(false)} size="large">
          <KeyTokenForm way={way} use="secret" integration={integration.name} onDone={() => setAdding(false)} />
        </Dialog>
      )}
    </Section>
  );
};
