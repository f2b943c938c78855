import { afterAll } from 'vitest';
import { strayed } from './recorder.ts';

/* Before every test file: the file fails if a sandbox it started gave an answer that its description does not allow. */

afterAll(() => {
  const now = strayed.splice(0);
  if (now.length === 0) return;
  throw new Error(`The sandbox strayed from its description:\n${[...new Set(now)].slice(0, 20).join('\n')}`);
});
