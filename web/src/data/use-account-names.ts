import { useAll } from './use-read.ts';

/** Names are often the same, addresses are not. */
export const useAccountNames = (): [string, string][] => {
  const { data } = useAll('GET /v1/accounts');
  return (data?.items ?? []).map(({ id, name, identity }) => {
    const who = identity.address ?? identity.username ?? name;
    return [id, who === name ? name : `${name} (${who})`];
  });
};
