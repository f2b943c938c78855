/** Builds dist/web, if it was made from other sources. */
export const ensureWebBundle: (runtime: { node: string }) => Promise<void>;
