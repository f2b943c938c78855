import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, figuresIn, isMet, shownFigure, shownGoal } from './lib/figures.ts';
import { keepRun } from './lib/history.ts';

/** Every benchmark: a program beside this file that prints ratios against a reference measured in the same run. */
const benchmarks = {
  steps: 'the pass-through step beside a bare proxy with one database read',
  filter: '2,000 and 10,000 mail filters on one mailbox, by the index beside a loop over all of them',
  events: 'a notification becomes one call to the service, beside the least code that keeps the promise',
  start: 'a process that starts, and one at rest, beside the least code that keeps the promise',
  processes: 'the same events over one, two and four processes',
  growth: 'events, memory and pages as stored events grow to 10⁶ and triggers to 10⁵',
  idle: '100,000 triggers at rest: memory, processor, and one event among them',
  million: 'a calculation: looks, renewals and catching up of one million accounts',
  web: 'pages of the web app beside an empty page: first paint, heading, JavaScript',
  approvals: '10,000 pending approvals: listing, deciding, and what the waiting costs, beside a handful',
  waiting: '10,000 runs that wait for a person: memory and processor beside none',
  sandbox: 'requests/s of the sandbox beside a bare server, with 100,000 messages and 20,000 cards',
  soak: 'a quarter of an hour at ten times the normal load: memory, losses, delays',
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const given = process.argv.slice(2);
const wanted = given.filter((word) => word !== '--keep');
const unknown = wanted.filter((name) => !(name in benchmarks));
const asked = given.includes('--help');
if (asked || unknown.length > 0) {
  const list = Object.entries(benchmarks).map(([name, about]) => `  ${name.padEnd(10)} ${about}`);
  say(`npm run bench -- [name …] [--keep]\n${list.join('\n')}`);
  say('  --keep adds the figures to bench/history.jsonl and draws docs/proof/bench.md anew');
  process.exit(asked ? 0 : 1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-bench-'));
const found: { bench: string; figures: Figure[] }[] = [];
for (const bench of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  say(`${bench}:`);
  const { environment, read } = figuresIn(path.join(folder, bench));
  const program = fileURLToPath(new URL(`${bench}.ts`, import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: 'inherit', env: { ...process.env, ...environment } });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
  found.push({ bench, figures: read() });
}
rmSync(folder, { recursive: true });

const rows = found.flatMap(({ bench, figures }) => figures.map((figure) => ({ bench, figure })));
const marks = { true: 'met', false: 'MISSED', undefined: '' };
say('');
for (const { bench, figure } of rows) {
  const verdict = marks[`${isMet(figure)}`];
  say(
    `${bench.padEnd(10)} ${figure.what.padEnd(58)} ${shownFigure(figure).padStart(10)}  ${shownGoal(figure).padEnd(14)} ${verdict}`,
  );
}
if (given.includes('--keep')) keepRun(found);
