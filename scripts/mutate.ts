/* npm run mutate -- <part>… [--only <text in a file's name>] [--every <n>]: changes the source, one place at a time, and looks whether a test notices. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { reasonFor } from './mutate/explained.ts';
import { type Mutant, mutantsOf } from './mutate/mutants-of.ts';
import { parts } from './mutate/parts.ts';
import { tryMutants } from './mutate/try-mutants.ts';

const root = path.resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, every: { type: 'string', default: '1' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = names.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) throw new Error(`Known parts: ${Object.keys(parts).join(', ')}.`);

const say = (line: string) => process.stdout.write(`${line}\n`);
const brief = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 90);

const rows: string[] = [];
for (const name of names) {
  const began = performance.now();
  const sources = (parts[name]?.sources ?? []).filter((file) => file.includes(values.only));
  const all = sources.flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')));
  const mutants = all.filter((_, at) => at % Number(values.every) === 0);
  const survived: Mutant[] = [];
  let explained = 0;
  const { tests } = await tryMutants(name, mutants, ({ mutant, killedBy }) => {
    if (killedBy !== undefined) return;
    survived.push(mutant);
    if (reasonFor(mutant) !== undefined) explained++;
    else say(`${mutant.file}:${mutant.line} ${mutant.what}\n  - ${brief(mutant.was)}\n  + ${brief(mutant.text)}`);
  });
  const killed = mutants.length - survived.length;
  const score = (100 * killed) / Math.max(1, mutants.length);
  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = [mutants.length, killed, survived.length, explained, `${score.toFixed(1)} %`, tests, `${seconds} s`];
  rows.push(`| ${name} | ${figures.join(' | ')} |`);
}
say(
  '\n| part | mutants | killed | survived | of these explained | score | tests | time |\n|---|---|---|---|---|---|---|---|',
);
say(rows.join('\n'));
