import { MutationCache, notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { SwitchboardError } from '../../client/src/index.ts';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.tsx';
import { watchRoom } from './shell/watch-room.ts';
import { backCloses } from './ui/back-closes.ts';
import { keepFocus } from './ui/keep-focus.ts';
import { leadToMistake } from './ui/lead-to-mistake.ts';
import { ToastProvider } from './ui/toast.tsx';

applyTheme();
backCloses(router.history);
keepFocus();
leadToMistake();
watchRoom();
// Before the next press is looked at: a button that is under way is disabled by then, so that a double click does it once.
notifyManager.setScheduler(queueMicrotask);

const statusOf = (error: unknown): number => (error as SwitchboardError).status ?? 0;

/** A session that ended shows the sign-in page, wherever that was noticed; one with another role by now, what that may do. */
const noticeEnd = (error: unknown): void => {
  const isKnown = queries
    .getQueriesData({ queryKey: ['GET /v1/session'] })
    .some(([, session]) => session !== undefined);
  if (isKnown && [401, 403].includes(statusOf(error)))
    void queries.invalidateQueries({ queryKey: ['GET /v1/session'] });
};

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [route] }) => route !== 'GET /v1/session' && noticeEnd(error),
  }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    // Without a network a read or write fails at once and says so. Left to wait, an approval would be sent hours after the click.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 5_000,
      retry: (count, error) => count < 2 && (statusOf(error) === 0 || statusOf(error) >= 500),
      // Whoever waits before an empty page is told within a second.
      retryDelay: (count) => 300 * 2 ** count,
    },
  },
});

const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no #root');
const screens = (
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>
);
// Until the first page has arrived, what index.html says stays: the router would show nothing.
void router.load().then(() => createRoot(place).render(screens));
