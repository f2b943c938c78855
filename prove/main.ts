import { circumstances, type KeptRow, keepFile, keepRow, readRows } from './harness/kept-rows.ts';
import { chartOf, reportOf } from './harness/report.ts';
import { holds, type Proof, type Row, table } from './harness/row.ts';
import { backup } from './proofs/backup.ts';
import { cases } from './proofs/cases.ts';
import { clock } from './proofs/clock.ts';
import { database } from './proofs/database.ts';
import { death } from './proofs/death.ts';
import { decisions } from './proofs/decisions.ts';
import { disk } from './proofs/disk.ts';
import { effects } from './proofs/effects.ts';
import { events } from './proofs/events.ts';
import { gaps } from './proofs/gaps.ts';
import { lying } from './proofs/lying.ts';
import { neighbour } from './proofs/neighbour.ts';
import { pace } from './proofs/pace.ts';
import { poison } from './proofs/poison.ts';
import { refresh } from './proofs/refresh.ts';
import { responder } from './proofs/responder.ts';
import { restarts } from './proofs/restarts.ts';
import { rolling } from './proofs/rolling.ts';
import { rotation } from './proofs/rotation.ts';
import { takeover } from './proofs/takeover.ts';

/** Every guarantee that can be run. A new proof is one file and one line here. */
const proofs: readonly Proof[] = [
  restarts,
  takeover,
  rolling,
  rotation,
  effects,
  pace,
  refresh,
  death,
  events,
  gaps,
  backup,
  database,
  disk,
  clock,
  poison,
  neighbour,
  lying,
  responder,
  decisions,
  cases,
];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const scale = process.argv.includes('--short') ? 0.2 : 1;
const unknown = wanted.filter((name) => !proofs.some((proof) => proof.name === name));
if (unknown.length > 0 || process.argv.includes('--help')) {
  say(
    `npm run prove -- [--short] [--report] [name …]\n${proofs.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n')}`,
  );
  process.exit(unknown.length > 0 ? 1 : 0);
}

const report = process.argv.includes('--report');
const rows: KeptRow[] = [];
for (const proof of proofs.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  say(`${proof.name}: ${proof.about}`);
  const circumstance = circumstances();
  const started = performance.now();
  const found = await proof.run({ scale, progress: (text) => say(`  ${text}`) }).catch(
    (error: unknown): Row => ({
      ...{ guarantee: proof.about, tried: 0, lost: 0, duplicated: 0, unknown: 0 },
      objections: [`it could not be tried: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
    }),
  );
  const row = { proof: proof.name, ...found, tookMs: performance.now() - started, scale, ...circumstance };
  rows.push(row);
  if (report) keepRow(row);
}
if (report) {
  const order = proofs.map(({ name }) => name);
  const kept = readRows().toSorted((a, b) => order.indexOf(a.proof) - order.indexOf(b.proof));
  keepFile('report.md', reportOf(kept));
  keepFile('report.svg', chartOf(kept));
}
say(`\n${table(rows)}`);
// A proof that could not go on may have left callers behind who ask for ever.
process.exit(rows.every(holds) ? 0 : 1);
