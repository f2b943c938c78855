/** The folder of the whole house, seen from here as from dist/server, where the bundled program stands. */
export const root = new URL('../../', import.meta.url);
