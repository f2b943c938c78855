import { useMemo } from 'react';
import { useRead } from '../../data/use-read.ts';

type Named = { id: string; name: string };

/** What people call what a record is about, by its id. */
export const useTargetNames = (): ReadonlyMap<string, string> => {
  const { data: names } = useRead('GET /v1/names');
  const { data: members } = useRead('GET /v1/members');
  return useMemo(() => {
    const { agents = [], tools = [], triggers = [], accounts = [] } = names ?? {};
    const all: readonly Named[] = [...agents, ...tools, ...triggers, ...accounts, ...(members?.items ?? [])];
    return new Map(all.map(({ id, name }) => [id, name]));
  }, [names, members]);
};
