import { inject } from 'vitest';
import type { Terms } from './global-setup.ts';

/** What the whole run shares, made when the first test asks for it. */
export const shared = async <Name extends keyof Terms>(name: Name): Promise<Terms[Name]> => {
  const answer = await fetch(`${inject('desk')}/${name}`);
  if (!answer.ok) throw new Error(`No ${name} for this test: ${await answer.text()}`);
  return (await answer.json()) as Terms[Name];
};
