import { useMemo } from 'react';
import { useAll, useRead } from '../../data/use-read.ts';

type Named = { id: string; name: string };

/** What people call what a record is about, by its id. */
export const useTargetNames = (): ReadonlyMap<string, string> => {
  const { data: agents } = useAll('GET /v1/agents');
  const { data: tools } = useAll('GET /v1/tools');
  const { data: triggers } = useAll('GET /v1/triggers');
  const { data: accounts } = useAll('GET /v1/accounts');
  const { data: members } = useRead('GET /v1/members');
  return useMemo(() => {
    const lists = [agents, tools, triggers, accounts, members];
    return new Map(lists.flatMap((list): Named[] => list?.items ?? []).map(({ id, name }) => [id, name]));
  }, [agents, tools, triggers, accounts, members]);
};
