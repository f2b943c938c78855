import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { Reading } from './reading.ts';
import { lookAgain, refreshInTurn } from './use-read.ts';

type Connection = 'opening' | 'open' | 'lost';

/** What a hint of the server makes us look at again. */
const touched: Record<string, readonly string[]> = {
  run: ['runs', 'overview'],
  approval: ['approvals', 'overview', 'runs'],
  account: ['accounts', 'overview', 'triggers'],
  trigger: ['triggers', 'overview'],
  // Of triggers, it tells the page of one something; lists of them, which may be long, show nothing that an event changes.
  event: ['events', 'overview', 'triggers/{id}'],
  agent: ['agents', 'overview', 'triggers'],
  tool: ['tools', 'agents'],
};

const againMs = 3_000;
/** Pages that cannot follow yet are read by then all the same. */
const patienceMs = 1_000;

const State = createContext<Connection>('opening');

/**
 * Follows the workspace: hints are gathered for a moment, and until the look before is over; then the pages look again. What they
 * show is first read when changes are told already, so that none is missed and nothing is read twice.
 */
export const LiveUpdates = ({ children }: { children: ReactNode }) => {
  const queries = useQueryClient();
  const [state, setState] = useState<Connection>('opening');
  const [isReading, setIsReading] = useState(false);

  useEffect(() => {
    let hasRead = false;
    let isOver = false;
    const read = () => {
      hasRead = true;
      setIsReading(true);
    };
    const waiting = setTimeout(read, patienceMs);
    const words = new Set<string>();
    let source: EventSource | undefined;
    let looking: ReturnType<typeof setTimeout> | undefined;
    let opening: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      const wanted = [...words];
      words.clear();
      const isOld = await refreshInTurn(queries, wanted);
      looking = undefined;
      hint(isOld ? wanted : []);
    };
    const hint = (wanted: readonly string[]) => {
      for (const word of wanted) words.add(word);
      if (words.size > 0 && !isOver) looking ??= setTimeout(() => void look(), 250);
    };
    const open = () => {
      const opened = new EventSource('/v1/stream');
      source = opened;
      opened.addEventListener('message', (message) => {
        const { type } = JSON.parse(String(message.data)) as { type?: string };
        if (type === 'sync') {
          // From here on changes are told; what happened since pages read what they show was not.
          const isBefore = hasRead;
          void lookAgain(queries, { predicate: ({ queryKey: [route] }) => isBefore || route !== 'GET /v1/session' });
          return read();
        }
        hint(touched[type ?? ''] ?? []);
      });
      opened.addEventListener('open', () => setState('open'));
      opened.addEventListener('error', () => {
        setState('lost');
        read();
        // The browser tries again by itself unless the server refused; then the session may have ended, too.
        if (opened.readyState !== EventSource.CLOSED) return;
        void queries.invalidateQueries({ queryKey: ['GET /v1/session'] });
        opening = setTimeout(open, againMs);
      });
    };
    // A connection of a machine without network can seem alive for minutes.
    const lose = () => setState('lost');
    const again = () => {
      clearTimeout(opening);
      source?.close();
      open();
    };
    addEventListener('offline', lose);
    addEventListener('online', again);
    open();
    return () => {
      isOver = true;
      removeEventListener('offline', lose);
      removeEventListener('online', again);
      clearTimeout(waiting);
      clearTimeout(looking);
      clearTimeout(opening);
      source?.close();
    };
  }, [queries]);

  return (
    <State value={state}>
      <Reading value={isReading}>{children}</Reading>
    </State>
  );
};

export const useConnection = (): Connection => useContext(State);
