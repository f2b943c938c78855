import type { Script } from '../script.ts';

export const silent: Script = {
  name: 'silent',
  purpose: 'Says nothing and does nothing.',
  move: () => ({ say: '' }),
};
