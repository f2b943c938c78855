import { ExternalLink, MailPlus } from 'lucide-react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { useSession } from '../../../data/session.tsx';
import { useRead } from '../../../data/use-read.ts';
import { useWrite } from '../../../data/use-write.ts';

const WriteMail = ({ to, isFiltered }: { to: string; isFiltered: boolean }) => {
  const send = useWrite('POST /v1/sandbox/mail', {
    refresh: ['runs', 'events', 'triggers'],
    done: isFiltered
      ? 'A mail arrived in the sandbox. If it fits the filter, its run appears in a moment; Events tells either way.'
      : 'A mail arrived in the sandbox. Its run appears in a moment.',
  });
  return (
    <button
      type="button"
      className="button button-quiet"
      disabled={send.isPending}
      onClick={() => send.mutate({ body: { to } })}
    >
      <MailPlus aria-hidden="true" className="size-4" />
      Let a mail arrive
    </button>
  );
};

const Outside = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noopener" className="button button-quiet">
    <ExternalLink aria-hidden="true" className="size-4" />
    {children}
  </a>
);

/** How to see a new agent work; in the sandbox by one press. */
export const TryIt = ({ trigger: { type, accountId, config }, asks }: { trigger: Trigger; asks: boolean }) => {
  const { may } = useSession();
  const account = useRead('GET /v1/accounts/{id}', { params: { id: accountId } });
  const sandbox = useRead('GET /v1/sandbox');
  const isMail = type === 'mail.new_email';
  const address = account.data?.identity.address;
  const { enabled = false, mail, board } = sandbox.data ?? {};
  const isFiltered = isMail && typeof config['searchFilter'] === 'string' && config['searchFilter'] !== '';
  const what = isMail
    ? `Try it: a mail to ${address ?? 'the connected mailbox'}${isFiltered ? ' that fits its filter' : ''} starts it.`
    : 'Try it: make it happen.';
  return (
    <>
      <p>
        {type === 'board.new_card' ? 'Try it: a new card on the board starts it.' : what} Its run appears below within
        seconds. {asks && 'What it wants to send then waits under Approvals.'}
      </p>
      {enabled && (
        <div className="flex flex-wrap gap-2">
          {isMail && address !== undefined && may('builder') && <WriteMail to={address} isFiltered={isFiltered} />}
          {isMail && mail !== undefined && <Outside href={mail}>Open the sandbox mailbox</Outside>}
          {!isMail && board !== undefined && <Outside href={board}>Open the sandbox board</Outside>}
        </div>
      )}
    </>
  );
};
