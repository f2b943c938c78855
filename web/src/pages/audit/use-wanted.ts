import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { momentsOf } from '../../data/days.ts';
import { kinds } from './audit-words.ts';

const pauseMs = 300;
const names = ['kind', 'text', 'account', 'agent', 'effect', 'from', 'to'] as const;

export type Wanted = Record<(typeof names)[number], string>;

const given = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== undefined));

/** What is looked for stands in the address, a moment after it was typed. */
export const useWanted = () => {
  const search = useSearch({ strict: false }) as Partial<Wanted>;
  const navigate = useNavigate();
  const { history } = useRouter();
  const [wanted, setWanted] = useState<Wanted>(
    () => Object.fromEntries(names.map((name) => [name, search[name] ?? ''])) as Wanted,
  );
  useEffect(() => {
    const timer = setTimeout(() => {
      // Whoever has left for another page, which may still be loading, is not brought back.
      if (history.location.pathname !== '/audit') return;
      void navigate({ to: '/audit', search: given(wanted), replace: true, resetScroll: false });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [wanted, navigate, history]);
  return { wanted, set: (change: Partial<Wanted>) => setWanted((before) => ({ ...before, ...change })) };
};

/** As the API calls it; what it does not know is not asked for. */
const actionOf = (kind: string): string => (kinds.some(([known]) => known === kind) ? kind.replace(/\.$/, '') : '');

/** What the API is asked for; the text is looked for in its answers. */
export const toQuery = ({ kind, account, agent, effect, from, to }: Wanted) =>
  given({
    action: actionOf(kind),
    accountId: account,
    agentId: agent,
    effect,
    ...momentsOf({ from, to }),
  });
