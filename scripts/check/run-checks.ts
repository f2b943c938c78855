import type { Finding } from './advisories.ts';
import { parts } from './parts.ts';

type Say = (line: string) => void;

const shown = async (name: string, run: () => Promise<Finding>, say: Say): Promise<boolean> => {
  const began = performance.now();
  const found = await run().catch((error: unknown) => String(error));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const ok = typeof found !== 'string';
  const more = typeof found === 'object' ? `: not looked for, ${found.note}` : '';
  say(`${ok ? 'ok    ' : 'failed'}  ${name} (${seconds} s)${ok ? more : `\n${found.trimEnd()}\n`}`);
  return ok;
};

/** Runs every part of `npm run check` at once and says a line for each, with what it found if it failed. */
export const runChecks = async (say: Say = console.log): Promise<{ passed: number; failed: number }> => {
  const results = await Promise.all(Object.entries(parts).map(([name, run]) => shown(name, run, say)));
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
};
