import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { refresh } from './use-read.ts';

type Connection = 'opening' | 'open' | 'lost';

/** What a hint of the server makes us look at again. */
const touched: Record<string, readonly string[]> = {
  run: ['runs', 'overview'],
  approval: ['approvals', 'overview', 'runs'],
  account: ['accounts', 'overview', 'triggers'],
  trigger: ['triggers', 'overview'],
  event: ['events', 'overview', 'triggers'],
};

const State = createContext<Connection>('opening');

/** Follows the workspace: hints are gathered for a moment, then the pages look again. */
export const LiveUpdates = ({ children }: { children: ReactNode }) => {
  const queries = useQueryClient();
  const [state, setState] = useState<Connection>('opening');

  useEffect(() => {
    const source = new EventSource('/v1/stream');
    const words = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lost = false;
    const look = () => {
      timer = undefined;
      void refresh(queries, [...words]);
      words.clear();
    };
    source.addEventListener('message', (message) => {
      const { type } = JSON.parse(String(message.data)) as { type?: string };
      for (const word of touched[type ?? ''] ?? []) words.add(word);
      timer ??= setTimeout(look, 250);
    });
    source.addEventListener('open', () => {
      setState('open');
      // What happened meanwhile was not told.
      if (lost) void queries.invalidateQueries();
      lost = false;
    });
    source.addEventListener('error', () => {
      lost = true;
      setState('lost');
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [queries]);

  return <State value={state}>{children}</State>;
};

export const useConnection = (): Connection => useContext(State);
