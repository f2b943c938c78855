import { useState } from 'react';
import { useWrite } from '../../../data/use-write.ts';

type Settings = { type: string; accountId: string; config: Record<string, unknown>; triggerId?: string };

/** A trial on recent history, and whether it is still about the settings on the screen. */
export const usePreview = (settings: Settings) => {
  const write = useWrite('POST /v1/triggers/preview', { quiet: true });
  const [tried, setTried] = useState('');
  const now = JSON.stringify(settings);
  return {
    preview: write.data,
    error: tried === now ? write.error : null,
    isBusy: write.isPending,
    isStale: tried !== now,
    onTry: () => {
      setTried(now);
      write.mutate({ body: settings });
    },
  };
};
