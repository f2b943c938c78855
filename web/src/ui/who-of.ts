import type { Run } from '../../../client/src/index.ts';

/** Who did something, in the middle of a sentence. Keys are called as people like, also as people are called: they are told apart. */
export const whoOf = ({ kind, id, name }: Run['startedBy']): string =>
  kind === 'key' && id.startsWith('key_') ? `the API key “${name}”` : name;
