import { useMemo } from 'react';
import type { Answer } from '../../../client/src/index.ts';
import { namesOfTriggers } from './trigger-names.ts';
import { useRead } from './use-read.ts';

type Names = Answer<'GET /v1/names'>;

const byId = (list: readonly { id: string; name: string }[] = []): ReadonlyMap<string, string> =>
  new Map(list.map(({ id, name }) => [id, name]));

/** What tells an account from others of its name. */
export const whoIfNotNamed = ({ name, who }: Names['accounts'][number]): string | undefined =>
  who === null || who === name ? undefined : who;

const wordsOf = (account: Names['accounts'][number]): string => {
  const who = whoIfNotNamed(account);
  return who === undefined ? account.name : `${account.name} (${who})`;
};

/** What people call the agents, tools, triggers and accounts that lists know by their ids. */
export const useNames = () => {
  const read = useRead('GET /v1/names');
  const { data } = read;
  const names = useMemo(() => {
    const agents = byId(data?.agents);
    const accounts: ReadonlyMap<string, string> = new Map(
      (data?.accounts ?? []).map((account) => [account.id, wordsOf(account)]),
    );
    const triggersOfAgents = namesOfTriggers(data?.triggers ?? [], { agents, accounts });
    return { agents, tools: byId(data?.tools), triggers: byId(data?.triggers), triggersOfAgents, accounts };
  }, [data]);
  return { ...names, read };
};
