import { useKept } from '../../../data/use-kept.ts';

/** What somebody has set in the open form of a trigger; `open` is that form in the address. */
type TriggerDraft = {
  open: string;
  type?: string;
  name?: string;
  accountId?: string | undefined;
  config?: Record<string, unknown> | undefined;
  /** What was saved when that was begun. */
  over?: Record<string, unknown> | undefined;
};

/** It outlives a session that ends, as the form does, which stands in the address. */
export const useTriggerDraft = (agentId: string, open = '') => {
  const { value, keep, forget, settle } = useKept<TriggerDraft>(`trigger of ${agentId}`);
  const draft = value?.open === open ? value : { open };
  return {
    draft,
    change: (changed: Partial<TriggerDraft>) => keep({ ...draft, ...changed }),
    forget,
    settle: () => settle(draft),
  };
};
