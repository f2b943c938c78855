import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../../../client/src/index.ts';
import { serverNow } from '../../data/server-time.ts';
import { useList } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { NewApiKey } from './new-api-key.tsx';

const Standing = ({ expiresAt, revokedAt }: ApiKey) => {
  if (revokedAt !== null) return <Badge>Revoked</Badge>;
  if (expiresAt === null) return <span>never expires</span>;
  if (Date.parse(expiresAt) < serverNow()) return <Badge tone="bad">Expired</Badge>;
  return (
    <span>
      expires <Time at={expiresAt} />
    </span>
  );
};

const KeyRow = ({ apiKey }: { apiKey: ApiKey }) => {
  const { id, name, hint, scopes, lastUsedAt, revokedAt } = apiKey;
  const revoke = useWrite('DELETE /v1/api-keys/{id}', { refresh: ['api-keys'], done: `${name} is revoked.` });
  return (
    <li
      className={`row-lazy flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-sm ${revokedAt === null ? '' : 'opacity-70'}`}
    >
      <KeyRound aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="grid room-40 flex-1 gap-1">
        <span className="untrusted font-medium">
          {name} <code className="font-mono text-xs font-normal text-muted">{hint}</code>
        </span>
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </span>
      <span className="grid text-xs text-muted sm:text-right">
        <span>
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              used <Time at={lastUsedAt} />
            </>
          )}
        </span>
        <Standing {...apiKey} />
      </span>
      {revokedAt === null && (
        <Confirm
          trigger="Revoke"
          title={`Revoke ${name}?`}
          action="Revoke"
          className="button button-bad"
          onConfirm={() => revoke.mutateAsync({ params: { id } })}
        >
          <p>Programs that use this key are refused from now on. This cannot be undone.</p>
        </Confirm>
      )}
    </li>
  );
};

export const ApiKeysSection = () => {
  const [making, setMaking] = useState(false);
  const list = useList('GET /v1/api-keys', { limit: 50 });
  return (
    <Section
      title="API keys"
      about="For programs that call Switchboard. Each is shown once, when it is made."
      actions={
        <button type="button" className="button button-quiet" onClick={() => setMaking(true)}>
          <Plus aria-hidden="true" className="size-4" />
          New API key
        </button>
      }
    >
      <Listed
        of={list}
        loading="Looking at the keys"
        rows={2}
        empty={
          <Empty icon={KeyRound} title="No API key yet">
            <p>A key lets a program run steps and tools here, over REST or MCP.</p>
          </Empty>
        }
      >
        <ul className="card divide-y divide-line">
          {list.items.map((apiKey) => (
            <KeyRow key={apiKey.id} apiKey={apiKey} />
          ))}
        </ul>
      </Listed>
      <Dialog title="New API key" open={making} onClose={() => setMaking(false)}>
        <NewApiKey onDone={() => setMaking(false)} />
      </Dialog>
    </Section>
  );
};
