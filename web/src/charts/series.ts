/** One colour of a stack. */
export type Series = { key: string; label: string; fill: string };

/** One stack: what was counted from `at` on. */
export type Span = { at: string; counts: Record<string, number> };
