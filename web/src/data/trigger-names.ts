import type { Answer } from '../../../client/src/index.ts';

type Trigger = Answer<'GET /v1/names'>['triggers'][number];
type Names = ReadonlyMap<string, string>;

/** Those of which each is called as only one is stay as they are; the others get what `more` knows of them. */
const toldApart = (names: Names, more: (id: string) => string | undefined): Names => {
  const alike = Map.groupBy(names, ([, name]) => name);
  return new Map(
    [...names].map(([id, name]) => {
      const also = (alike.get(name)?.length ?? 0) > 1 ? more(id) : undefined;
      return [id, also === undefined ? name : `${name}, ${also}`];
    }),
  );
};

/** Triggers of one kind have one name until somebody gives them others: the agent, and where need be the account and the filter, tell them apart. */
export const namesOfTriggers = (triggers: readonly Trigger[], known: { agents: Names; accounts: Names }): Names => {
  const byId = new Map(triggers.map((trigger) => [trigger.id, trigger]));
  const ofAgents = new Map(
    triggers.map(({ id, name, agentId }) => {
      const agent = known.agents.get(agentId);
      return [id, agent === undefined ? name : `${name}, ${agent}`];
    }),
  );
  const ofAccounts = toldApart(ofAgents, (id) => known.accounts.get(byId.get(id)?.accountId ?? ''));
  return toldApart(ofAccounts, (id) => byId.get(id)?.filter ?? undefined);
};
