import { Activity, Pause, Pencil, Play, RefreshCw, Unplug } from 'lucide-react';
import { useState } from 'react';
import type { Account, Integration, NewConnect } from '../../../../client/src/index.ts';
import { useWrite } from '../../data/use-write.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Uses, usesInWords } from './account-uses.tsx';
import { KeyTokenForm } from './key-token-form.tsx';
import { RenameAccount } from './rename-account.tsx';
import type { Connect } from './use-connect.ts';

const touched = ['accounts', 'triggers', 'overview'];

const Stops = ({ uses }: { uses: Uses }) => {
  const words = usesInWords(uses);
  if (uses.unread.length > 0)
    return <p className="text-warn">What uses this account could not be read, so more may stop than you expect.</p>;
  if (uses.isPending) return <p aria-busy="true">Looking what uses it …</p>;
  if (words === '') return <p>Nothing uses this account at the moment.</p>;
  return (
    <>
      <p>This stops {words}:</p>
      <ul className="grid list-disc gap-1 pl-5">
        {[...uses.triggers, ...uses.tools, ...uses.agents].slice(0, 12).map(({ id, name }) => (
          <li key={id} className="untrusted">
            {name}
          </li>
        ))}
      </ul>
    </>
  );
};

/** What can be done with one account. */
export const AccountActions = (props: {
  account: Account;
  integration: Integration;
  connecting: Connect;
  uses: Uses;
}) => {
  const { account, integration, connecting, uses } = props;
  const params = { id: account.id };
  const [renaming, setRenaming] = useState(false);
  const [typing, setTyping] = useState(false);
  const test = useWrite('POST /v1/accounts/{id}/test', { refresh: touched });
  const pause = useWrite('PATCH /v1/accounts/{id}', { refresh: touched, done: 'Paused.' });
  const resume = useWrite('PATCH /v1/accounts/{id}', { refresh: touched, done: 'Resumed.' });
  const disconnect = useWrite('DELETE /v1/accounts/{id}', {
    refresh: [...touched, 'tools', 'agents'],
    done: `${account.name} is disconnected.`,
  });
  const typed = integration.auth.find(({ type, credential }) => type === account.authMethod && credential);
  const reconnect = () => {
    if (typed !== undefined) return setTyping(true);
    const method = account.authMethod as NonNullable<NewConnect['method']>;
    return connecting.connect({ integration: integration.name, accountId: account.id, method });
  };
  const urgent = account.state === 'needs_reconnect';
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <button type="button" className={`button ${urgent ? 'button-main' : 'button-quiet'}`} onClick={reconnect}>
          <RefreshCw aria-hidden="true" className="size-4" />
          Reconnect
        </button>
        <button
          type="button"
          className="button button-quiet"
          disabled={test.isPending}
          aria-busy={test.isPending}
          onClick={() => test.mutate({ params })}
        >
          <Activity aria-hidden="true" className="size-4" />
          {test.isPending ? 'Asking the service …' : 'Test connection'}
        </button>
        <button type="button" className="button button-quiet" onClick={() => setRenaming(true)}>
          <Pencil aria-hidden="true" className="size-4" />
          Rename
        </button>
        {account.state === 'paused' ? (
          <button
            type="button"
            className="button button-quiet"
            disabled={resume.isPending}
            onClick={() => resume.mutate({ params, body: { paused: false } })}
          >
            <Play aria-hidden="true" className="size-4" />
            Resume
          </button>
        ) : (
          <Confirm
            trigger={
              <>
                <Pause aria-hidden="true" className="size-4" />
                Pause
              </>
            }
            title={`Pause ${account.name}?`}
            action="Pause"
            tone="main"
            disabled={account.state !== 'connected'}
            onConfirm={() => pause.mutateAsync({ params, body: { paused: true } })}
          >
            <p>
              Nothing is read or sent with it until you resume it. What happens meanwhile starts nothing and is listed
              as skipped. The credential stays.
            </p>
            <Stops uses={uses} />
          </Confirm>
        )}
        <Confirm
          trigger={
            <>
              <Unplug aria-hidden="true" className="size-4" />
              Disconnect
            </>
          }
          title={`Disconnect ${account.name}?`}
          action="Disconnect"
          className="button button-bad"
          onConfirm={() => disconnect.mutateAsync({ params })}
        >
          <p>
            The credential is destroyed, calls with it end at once, and stored content that came from the account is
            erased. Counts and the audit remain. This cannot be undone; connecting again makes a new account.
          </p>
          <Stops uses={uses} />
        </Confirm>
      </div>
      {test.data !== undefined && (
        <p
          role="status"
          className={`rounded-lg p-3 text-sm ${test.data.works ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
        >
          {test.data.works
            ? `It works. The service knows this account as ${test.data.account.identity.name}.`
            : `It does not work: ${test.data.reason ?? 'the service gave no reason'}`}
        </p>
      )}
      <Dialog title={`Rename ${account.name}`} open={renaming} onClose={() => setRenaming(false)}>
        <RenameAccount account={account} onDone={() => setRenaming(false)} />
      </Dialog>
      {typed !== undefined && (
        <Dialog title={`Reconnect ${account.name}`} open={typing} onClose={() => setTyping(false)} size="large">
          <KeyTokenForm
            way={typed}
            use="account"
            integration={integration.name}
            onDone={(id) => {
              setTyping(false);
              connecting.arrived(id);
            }}
          />
        </Dialog>
      )}
    </div>
  );
};
