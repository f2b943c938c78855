import { createClient } from '../../../client/src/index.ts';

/** The server this page came from, as the person who is signed in. */
export const api = createClient({ origin: '' });
