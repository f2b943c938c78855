import { ArrowUpRight, KeyRound, Link2, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Integration } from '../../../../client/src/index.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EndUserLink } from './end-user-link.tsx';
import { KeyTokenForm } from './key-token-form.tsx';
import { type Connect, leavesPage } from './use-connect.ts';

/** The ways to connect one more account. */
export const ConnectActions = ({ integration, connecting }: { integration: Integration; connecting: Connect }) => {
  const [typing, setTyping] = useState(false);
  const [linking, setLinking] = useState(false);
  const { name, title, auth } = integration;
  const byBrowser = auth.filter(({ available, credential }) => available && credential === undefined);
  const typed = auth.find(({ credential }) => credential !== undefined);
  const redirects = leavesPage(name);
  const Icon = redirects ? ArrowUpRight : Plus;
  return (
    <>
      {byBrowser.length > 0 && (
        <button
          type="button"
          className="button button-main"
          disabled={connecting.isStarting}
          onClick={() => connecting.connect({ integration: name })}
        >
          <Icon aria-hidden="true" className="size-4" />
          {redirects ? 'Connect' : 'Add Integration'}
        </button>
      )}
      {typed !== undefined && (
        <button type="button" className="button button-quiet" onClick={() => setTyping(true)}>
          <KeyRound aria-hidden="true" className="size-4" />
          {typed.title}
        </button>
      )}
      {byBrowser.length > 0 && (
        <button type="button" className="button button-quiet" onClick={() => setLinking(true)}>
          <Link2 aria-hidden="true" className="size-4" />
          Link for somebody else
        </button>
      )}
      {byBrowser.length === 0 && (
        <p className="max-w-xs text-sm text-muted">
          {title} cannot be connected in the browser: the operator has registered no app there.
        </p>
      )}
      {typed !== undefined && (
        <Dialog title={`Connect by ${typed.title}`} open={typing} onClose={() => setTyping(false)} size="large">
          <KeyTokenForm
            way={typed}
            use="account"
            integration={name}
            onDone={(accountId) => {
              setTyping(false);
              connecting.arrived(accountId);
            }}
          />
        </Dialog>
      )}
      <Dialog title={`A link that connects ${title}`} open={linking} onClose={() => setLinking(false)}>
        <EndUserLink integration={integration} />
      </Dialog>
    </>
  );
};
