import type { StoredFault } from '#store';

/** How a run ended. */
export type RunEnd =
  | { output: unknown; warnings: readonly string[] }
  | { error: StoredFault }
  | { cancelled: StoredFault };

const without = { output: null, warnings: null };

/** The columns that say how a run ended. */
export const endColumns = (end: RunEnd) => {
  if ('error' in end) return { status: 'failed' as const, ...without, error: end.error };
  if ('cancelled' in end) return { status: 'cancelled' as const, ...without, error: end.cancelled };
  return {
    status: 'succeeded' as const,
    output: end.output ?? null,
    warnings: end.warnings.length === 0 ? null : end.warnings,
    error: null,
  };
};
