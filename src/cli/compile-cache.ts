import { fileURLToPath } from 'node:url';

/** Where Node keeps compiled modules. Where this folder cannot be written, starting merely takes longer. */
export const compileCache = fileURLToPath(new URL('../../.cache/compiled', import.meta.url));
