import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { SwitchboardError } from '../../client/src/index.ts';
import { router } from './router.tsx';
import { applyTheme } from './shell/theme.tsx';
import { ToastProvider } from './ui/toast.tsx';

applyTheme();

const statusOf = (error: unknown): number => (error as SwitchboardError).status ?? 0;

const queries = new QueryClient({
  queryCache: new QueryCache({
    // A session that ended shows the sign-in page, wherever that was noticed.
    onError: (error, { queryKey: [route] }) => {
      if (statusOf(error) === 401 && route !== 'GET /v1/session')
        void queries.invalidateQueries({ queryKey: ['GET /v1/session'] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && (statusOf(error) === 0 || statusOf(error) >= 500),
    },
  },
});

const place = document.getElementById('root');
if (place === null) throw new Error('index.html has no #root');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
