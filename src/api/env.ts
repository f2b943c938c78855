import type { HttpBindings } from '@hono/node-server';
import type { Log } from '#log';
import type { Caller } from '#workspaces';

export type Env = {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    log: Log;
    /** Set once a credential was accepted. */
    caller?: Caller;
    /** The body as it came, read once, within its limits. */
    body: string;
    /** Of a body that its route reads itself: the digest of what came. */
    bodyDigest?: string;
  };
};
