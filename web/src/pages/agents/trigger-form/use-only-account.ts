import { useAll } from '../../../data/use-read.ts';

/** The account that goes without saying: the only one that is connected. */
export const useOnlyAccount = (integration: string): string | undefined => {
  const { data } = useAll('GET /v1/accounts', { integration });
  const ready = (data?.items ?? []).filter(({ state }) => state === 'connected');
  return ready.length === 1 ? ready[0]?.id : undefined;
};
