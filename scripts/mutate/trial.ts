/* The process in which mutants are tried, one after the other: it is told one, and answers which test noticed. */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { applied, type Mutant } from './mutants-of.ts';
import { parts } from './parts.ts';
import { type Collected, takeCollected } from './test-words.ts';

export type Verdict = { killedBy?: string; tests: number };

const root = path.resolve(import.meta.dirname, '../..');
const part = parts[process.argv[2] ?? ''];
if (part === undefined) throw new Error('There is no such part.');
const { tests, fresh } = part;
const wordsUrl = import.meta.resolve('./test-words.ts');

// The same inputs for every mutant; what fails need not be made small.
fc.configureGlobal({ seed: 20, endOnFailure: true });

let turn = 0;
let mutant: Mutant | undefined;
const plain = new Map<string, string>();

const codeOf = (file: string): string => {
  if (mutant?.file === file) return stripTypeScriptTypes(applied(readFileSync(path.join(root, file), 'utf8'), mutant));
  const code = plain.get(file) ?? stripTypeScriptTypes(readFileSync(path.join(root, file), 'utf8'));
  plain.set(file, code);
  return code;
};

const relative = (url: string): string => path.relative(root, fileURLToPath(url)).replaceAll(path.sep, '/');
const isFresh = (url: string): boolean =>
  url.startsWith('file:') && url.endsWith('.ts') && fresh.some((start) => relative(url).startsWith(start));

registerHooks({
  resolve: (specifier, context, next) => {
    const fromTest = context.parentURL !== undefined && /[.]test[.]ts[?]/.test(context.parentURL);
    if (specifier === 'vitest' && fromTest) return { url: wordsUrl, shortCircuit: true };
    const found = next(specifier, context);
    return isFresh(found.url) ? { ...found, url: `${found.url}?turn=${turn}` } : found;
  },
  load: (url, context, next) =>
    url.endsWith(`?turn=${turn}`)
      ? { format: 'module', source: codeOf(relative(url)), shortCircuit: true }
      : next(url, context),
});

const kills = new Map<string, number>();
const costMs = new Map<string, number>();
/** Quick tests that notice much come first. */
const worth = ({ name }: Collected): number => (1 + (kills.get(name) ?? 0)) / (1 + (costMs.get(name) ?? 0));
const likeliest = (all: Collected[]): Collected[] => all.toSorted((a, b) => worth(b) - worth(a));

const noticedBy = async (): Promise<Verdict> => {
  turn++;
  takeCollected();
  try {
    for (const file of tests) await import(pathToFileURL(path.join(root, file)).href);
  } catch {
    return { killedBy: 'It cannot even be read.', tests: 0 };
  }
  const collected = takeCollected();
  for (const { name, run } of likeliest(collected)) {
    const began = performance.now();
    try {
      await run();
      if (mutant === undefined) costMs.set(name, performance.now() - began);
    } catch (error) {
      if (mutant === undefined) throw error;
      kills.set(name, (kills.get(name) ?? 0) + 1);
      return { killedBy: name, tests: collected.length };
    }
  }
  return { tests: collected.length };
};

process.on('message', (given: Mutant | undefined) => {
  mutant = given ?? undefined;
  void noticedBy().then(
    (verdict) => process.send?.(verdict),
    (error: unknown) => process.send?.({ killedBy: String(error), tests: 0 } satisfies Verdict),
  );
});
// What a mutant leaves undone must not end the process: the next one is waiting.
process.on('unhandledRejection', () => {});
process.send?.('ready');
