import { useMemo, useState } from 'react';
import type { Agent } from '../../../../../client/src/index.ts';
import { useKept } from '../../../data/use-kept.ts';
import { type Draft, draftOf } from './agent-draft.ts';

const isSame = (one: Draft, other: Draft): boolean => JSON.stringify(one) === JSON.stringify(other);

/** An agent as it is being written, and the version that this began from. It outlives the end of the session. */
export const useAgentDraft = (agent: Agent | undefined) => {
  const typed = useKept<{ draft: Draft; base: Agent | undefined }>(`agent ${agent?.id ?? 'new'}`);
  const [saved, setSaved] = useState(agent);
  const isAhead = agent === undefined || (saved !== undefined && saved.version > agent.version);
  const latest = isAhead ? saved : agent;
  const base = typed.value === undefined ? latest : typed.value.base;
  const start = useMemo(() => draftOf(base), [base]);
  const draft = typed.value?.draft ?? start;
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    if (isSame(next, start)) typed.forget();
    else typed.keep({ draft: next, base });
  };
  /** Begin again from this version. */
  const adopt = (version: Agent | undefined) => {
    typed.forget();
    setSaved(version);
  };
  return { draft, set, base, isChanged: !isSame(draft, start), adopt };
};
