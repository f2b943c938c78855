import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { NewConnect, SwitchboardError } from '../../../../client/src/index.ts';
import { refresh } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';

export type Connecting =
  | { at: 'idle' }
  | { at: 'signing_in'; request: NewConnect }
  /** The browser let no window open; the link needs a press of its own. */
  | { at: 'blocked'; request: NewConnect; url: string }
  | { at: 'problem'; request: NewConnect; problem: string }
  | { at: 'refused'; request: NewConnect; message: string }
  | { at: 'connected'; accountId: string };

type Told = { type?: string; outcome?: string; account?: string };

const pollMs = 400;
const size = 'popup,width=520,height=760';

/** Boards are connected by going there and coming back, all else in a pop-up. */
export const leavesPage = (integration: string): boolean => integration === 'board';

/** Connecting an account: in a pop-up that reports back, or by leaving this page and coming back. */
export const useConnect = () => {
  const queries = useQueryClient();
  const link = useWrite('POST /v1/connect', { quiet: true });
  const { mutateAsync: begin } = link;
  const [state, setState] = useState<Connecting>({ at: 'idle' });
  const popUp = useRef<Window | null>(null);

  useEffect(() => {
    // Works where the pop-up has lost its opener at the service's pages, too.
    const channel = new BroadcastChannel('switchboard.connect');
    channel.addEventListener('message', (message: MessageEvent<Told>) => {
      const { type, outcome = '', account } = message.data;
      if (type !== 'switchboard.connect') return;
      if (outcome === 'connected') void refresh(queries, ['accounts', 'triggers', 'overview']);
      setState((now) => {
        // Another tab's affair.
        if (now.at === 'idle' || now.at === 'connected') return now;
        if (outcome === 'connected') return { at: 'connected', accountId: account ?? '' };
        return { at: 'problem', request: now.request, problem: outcome };
      });
    });
    return () => channel.close();
  }, [queries]);

  const isSigningIn = state.at === 'signing_in';
  useEffect(() => {
    if (!isSigningIn) return undefined;
    let seenClosed = false;
    const timer = setInterval(() => {
      if (popUp.current?.closed !== true) return;
      // What it said last may still be on its way.
      if (seenClosed) setState((now) => (now.at === 'signing_in' ? { ...now, at: 'problem', problem: 'closed' } : now));
      seenClosed = true;
    }, pollMs);
    return () => clearInterval(timer);
  }, [isSigningIn]);

  const refused = useCallback((request: NewConnect, error: unknown) => {
    setState({ at: 'refused', request, message: (error as SwitchboardError).message });
  }, []);

  const inPopUp = useCallback(
    async (request: NewConnect) => {
      // Sent elsewhere from here, a window that was at the service's pages would be out of reach: another takes its place.
      popUp.current?.close();
      // At once, within the press: later the browser would not let it open.
      const opened = globalThis.open('about:blank', '_blank', size);
      popUp.current = opened;
      setState({ at: 'signing_in', request });
      try {
        const { url } = await begin({ body: request });
        if (opened === null) return setState({ at: 'blocked', request, url });
        opened.location.replace(url);
        opened.focus();
      } catch (error) {
        opened?.close();
        refused(request, error);
      }
    },
    [begin, refused],
  );

  const byRedirect = useCallback(
    async (request: NewConnect) => {
      try {
        const { url } = await begin({ body: { ...request, returnUrl: location.origin + location.pathname } });
        location.assign(url);
      } catch (error) {
        refused(request, error);
      }
    },
    [begin, refused],
  );

  const connect = useCallback(
    (request: NewConnect) => void (leavesPage(request.integration) ? byRedirect(request) : inPopUp(request)),
    [byRedirect, inPopUp],
  );

  const forget = useCallback(() => setState({ at: 'idle' }), []);
  const arrived = useCallback((accountId: string) => setState({ at: 'connected', accountId }), []);
  return { state, connect, forget, arrived, isStarting: link.isPending };
};

export type Connect = ReturnType<typeof useConnect>;
