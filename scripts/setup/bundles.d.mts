/** Builds dist/web, if it was made from other sources. */
export declare function ensureWebBundle(runtime: { node: string }): Promise<void>;

/** Builds dist/server, if it was made from other sources. */
export declare function ensureServerBundle(runtime: { node: string }): Promise<void>;
