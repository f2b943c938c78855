/* npm run mutate -- <part>… [--only <text in a file's name>]: changes the source, one place at a time, and looks whether a test notices. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { reasonFor } from './mutate/explained.ts';
import { mutantsOf } from './mutate/mutants-of.ts';
import { parts } from './mutate/parts.ts';
import { type Tried, tryMutants } from './mutate/try-mutants.ts';

const root = path.resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, quiet: { type: 'boolean', default: false } },
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
  const mutants = sources.flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')));
  const survived: Tried[] = [];
  let done = 0;
  const { tests } = await tryMutants(name, mutants, (tried) => {
    done++;
    if (tried.killedBy === undefined) survived.push(tried);
    if (process.stdout.isTTY)
      process.stdout.write(`\r${name}: ${done} of ${mutants.length}, ${survived.length} unnoticed `);
  });
  if (process.stdout.isTTY) say('');
  const open = survived.filter(({ mutant }) => reasonFor(mutant) === undefined);
  for (const { mutant } of values.quiet ? [] : open) {
    say(`${mutant.file}:${mutant.line} ${mutant.what}\n  - ${brief(mutant.was)}\n  + ${brief(mutant.text)}`);
  }
  const killed = mutants.length - survived.length;
  const explained = survived.length - open.length;
  const score = (100 * killed) / Math.max(1, mutants.length);
  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = [mutants.length, killed, survived.length, explained, `${score.toFixed(1)} %`, tests, `${seconds} s`];
  rows.push(`| ${name} | ${figures.join(' | ')} |`);
}
say(
  '\n| part | mutants | killed | survived | of these explained | score | tests | time |\n|---|---|---|---|---|---|---|---|',
);
say(rows.join('\n'));
