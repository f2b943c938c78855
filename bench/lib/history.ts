import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import path from 'node:path';
import { type Figure, isMet, shownFigure, shownGoal } from './figures.ts';
import { lineChart } from './line-chart.ts';

type Found = { bench: string; figures: Figure[] };
type Run = { at: string; commit: string; machine: string; found: Found[] };

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'bench/history.jsonl');
const proof = path.join(root, 'docs/proof');

const readHistory = (): Run[] => {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Run);
  } catch {
    // The first run that is kept.
    return [];
  }
};

const machine = (): string =>
  `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;

const marks = { true: 'met', false: '**missed**', undefined: '' };

/** The ratios that say most, run by run: all are better when higher. */
const watched = [
  { bench: 'steps', what: 'requests/s of the bare proxy' },
  { bench: 'events', what: "events/s of the floor's" },
];

const latest = (runs: readonly Run[]): Map<string, { run: Run; figures: Figure[] }> =>
  new Map(runs.flatMap((run) => run.found.map(({ bench, figures }) => [bench, { run, figures }] as const)));

const tableOf = (runs: readonly Run[]): string => {
  const rows = [...latest(runs)].flatMap(([bench, { run, figures }]) =>
    figures.map((figure) =>
      [
        bench,
        figure.what,
        shownFigure(figure),
        shownGoal(figure),
        marks[`${isMet(figure)}`],
        run.at.slice(0, 10),
        run.commit,
      ]
        .join(' | ')
        .trim(),
    ),
  );
  return ['benchmark | figure | value | goal | | day | commit', '---|---|---|---|---|---|---', ...rows]
    .map((row) => `| ${row} |`)
    .join('\n');
};

const chartOf = (runs: readonly Run[]): string => {
  const series = watched.map(({ bench, what }) => ({
    name: `${bench}: ${what}`,
    points: runs.flatMap(({ found }, at) => {
      const figure = found.find((each) => each.bench === bench)?.figures.find((each) => each.what === what);
      return figure === undefined ? [] : [{ x: at + 1, y: figure.value }];
    }),
  }));
  return lineChart({
    title: 'Ratios, run by run',
    x: 'kept run',
    series: series.filter(({ points }) => points.length > 0),
  });
};

/** Adds a run to the history, and writes the newest figures of every benchmark and their course down for people. */
export const keepRun = (found: Found[]): void => {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString().trim();
  const run: Run = { at: new Date().toISOString(), commit, machine: machine(), found };
  appendFileSync(file, `${JSON.stringify(run)}\n`);
  const runs = readHistory();
  mkdirSync(proof, { recursive: true });
  writeFileSync(path.join(proof, 'bench.svg'), chartOf(runs));
  writeFileSync(
    path.join(proof, 'bench.md'),
    `# Benchmarks\n\nMade by \`npm run bench -- --keep\`: of each benchmark the newest run that was kept, on ${run.machine}. Ratios compare with a\n` +
      `reference measured in the same run; \`bench/history.jsonl\` has all runs.\n\n${tableOf(runs)}\n\n![Ratios, run by run](bench.svg)\n`,
  );
};
