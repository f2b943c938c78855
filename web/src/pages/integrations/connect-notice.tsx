import { CircleCheck, ExternalLink, LoaderCircle, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import type { Connect } from './use-connect.ts';
import { problems } from './words.ts';

const box = 'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-xl border p-4 text-sm';

const Dismiss = ({ onClick }: { onClick: () => void }) => (
  <button type="button" className="button button-bare px-2.5" onClick={onClick} aria-label="Dismiss">
    <X aria-hidden="true" className="size-4" />
  </button>
);

const Notice = (props: { connecting: Connect; accounts: readonly Account[] }) => {
  const { state, connect, forget } = props.connecting;
  const bad = (text: string, actions: ReactNode) => (
    <div role="alert" className={`${box} border-bad/40 bg-bad-soft text-bad`}>
      <p className="room-52 flex-1 [overflow-wrap:anywhere]">{text}</p>
      {actions}
      <Dismiss onClick={forget} />
    </div>
  );
  switch (state.at) {
    case 'idle':
      return null;
    case 'signing_in':
      return (
        <div role="status" className={`${box} border-line bg-raised`}>
          <LoaderCircle aria-hidden="true" className="size-4 shrink-0 animate-spin text-accent" />
          <p className="room-52 flex-1">
            Sign in and grant access in the window that has opened. The account appears here by itself.
          </p>
          <button type="button" className="button button-quiet" onClick={() => connect(state.request)}>
            Show the window again
          </button>
          <Dismiss onClick={forget} />
        </div>
      );
    case 'blocked':
      return (
        <div role="alert" className={`${box} border-warn/40 bg-warn-soft text-warn`}>
          <p className="room-52 flex-1">
            Your browser blocked the sign-in window. Open the sign-in page in a new tab instead; the account appears
            here afterwards.
          </p>
          <a className="button button-main" href={state.url} target="_blank" rel="noreferrer">
            <ExternalLink aria-hidden="true" className="size-4" />
            Open the sign-in page
          </a>
          <Dismiss onClick={forget} />
        </div>
      );
    case 'problem':
      return bad(
        problems[state.problem] ?? 'Nothing was connected. Try again.',
        <button type="button" className="button button-quiet" onClick={() => connect(state.request)}>
          Try again
        </button>,
      );
    case 'refused':
      return bad(
        state.message,
        <button type="button" className="button button-quiet" onClick={() => connect(state.request)}>
          Try again
        </button>,
      );
    case 'connected': {
      const name = props.accounts.find(({ id }) => id === state.accountId)?.name;
      return (
        <div role="status" className={`${box} border-good/40 bg-good-soft text-good`}>
          <CircleCheck aria-hidden="true" className="size-4 shrink-0" />
          <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{name ?? 'The account'} is connected.</p>
          <Dismiss onClick={forget} />
        </div>
      );
    }
  }
};

/** How far connecting is, or how it ended, with the way on. Whoever pressed a button further down is led to it. */
export const ConnectNotice = (props: { connecting: Connect; accounts: readonly Account[] }) => {
  const place = useRef<HTMLDivElement>(null);
  const { at } = props.connecting.state;
  useEffect(() => {
    if (at !== 'idle' && at !== 'connected') place.current?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div ref={place} className="scroll-mt-20 empty:hidden">
      <Notice {...props} />
    </div>
  );
};
