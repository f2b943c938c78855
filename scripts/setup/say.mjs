import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Progress goes to stderr, so that the command's own output stays clean. */
export const say = (line) => process.stderr.write(`${line}\n`);

/** A failure whose message already tells a person what to do; shown without a stack. */
export class SetupError extends Error {}

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Says what is going on, every ten seconds that it still does, and how long it took. */
export const withProgress = async (what, work) => {
  const began = Date.now();
  say(`${what} …`);
  const ticker = setInterval(() => say(`  still at it after ${seconds(began)}`), 10_000);
  try {
    const result = await work();
    say(`  done in ${seconds(began)}`);
    return result;
  } finally {
    clearInterval(ticker);
  }
};
